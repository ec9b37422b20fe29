package import Primitives
import Synchronization

/// Measurements of changes since the start.
package struct WriterMeasurements: Sendable {
    /// Changes that shared one transaction.
    package fileprivate(set) var changes = Histogram(bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256])
    /// Seconds that a change waited in the queue.
    package fileprivate(set) var waits = Histogram(bounds: Self.seconds)
    /// Seconds of a transaction, with its commit.
    package fileprivate(set) var commits = Histogram(bounds: Self.seconds)

    private static let seconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
}

/// Updated once for each transaction.
package final class WriterStatistics: Sendable {
    private let state = Mutex(WriterMeasurements())

    package init() {}

    package var current: WriterMeasurements { state.withLock { $0 } }

    package func add(
        arrivals: [ContinuousClock.Instant], taken: ContinuousClock.Instant, ended: ContinuousClock.Instant
    ) {
        state.withLock { state in
            state.changes.add(Double(arrivals.count))
            state.commits.add((ended - taken).inSeconds)
            for arrival in arrivals { state.waits.add((taken - arrival).inSeconds) }
        }
    }
}
