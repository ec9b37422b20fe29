import Synchronization

/// Counts events from any thread. The server's metrics read it.
package final class Counter: Sendable {
    private let total = Atomic<Int>(0)

    package init() {}

    package func increment(by count: Int = 1) { total.add(count, ordering: .relaxed) }

    package var count: Int { total.load(ordering: .relaxed) }
}
