public import Primitives
import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: WallClock {
    private let time: Mutex<Timestamp>

    /// Begins at 2026-11-20T10:00:00Z where nothing else is said.
    public init(_ start: Timestamp = Timestamp(seconds: 1_795_168_800)) { time = Mutex(start) }

    public var now: Timestamp { time.withLock { $0 } }

    public func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}
