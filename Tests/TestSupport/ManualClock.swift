package import Primitives
import Synchronization

/// A clock that stands still until a test moves it.
package final class ManualClock: WallClock {
    private let time: Mutex<Timestamp>
    private let passed = Mutex(Duration.zero)

    /// Begins at 2026-11-20T10:00:00Z by default.
    package init(_ start: Timestamp = Timestamp(seconds: 1_795_168_800)) { time = Mutex(start) }

    package var now: Timestamp { time.withLock { $0 } }

    /// Time that passed since the clock was made.
    package var uptime: Duration { passed.withLock { $0 } }

    /// Advances the clock.
    package func advance(by duration: Duration) {
        passed.withLock { $0 += duration }
        jump(by: duration)
    }

    /// Sets the wall clock without advancing elapsed time.
    package func jump(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}
