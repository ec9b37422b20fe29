public import Flows
public import Primitives
import Glibc

/// The machine's clock.
public struct SystemClock: WallClock {
    public init() {}

    public var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// Lets real time pass.
public struct SystemTimer: Flows.Timer {
    public init() {}

    public func sleep(_ duration: Duration) async throws { try await Task.sleep(for: duration) }

    private static let start = ContinuousClock.now

    public var uptime: Duration { ContinuousClock.now - Self.start }
}
