import AuthorizationCore
package import Primitives
import Glibc

package struct SystemClock: WallClock {
    package init() {}

    package var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}

/// Lets real time pass.
package struct SystemTimer: AuthorizationCore.Timer {
    package init() {}

    package func sleep(_ duration: Duration) async throws { try await Task.sleep(for: duration) }

    private static let start = ContinuousClock.now

    package var uptime: Duration { ContinuousClock.now - Self.start }
}
