import Flows
import Synchronization

/// Counts the signals that the outbox has entries.
package final class RecordingSignal: OutboxSignal {
    private let signals = Mutex(0)

    package init() {}

    package var count: Int { signals.withLock { $0 } }

    package func entriesAdded() { signals.withLock { $0 += 1 } }
}
