import Flows
import Synchronization

/// Counts signals for new notifications.
package final class RecordingSignal: DeliverySignal {
    private let signals = Mutex(0)

    package init() {}

    package var count: Int { signals.withLock { $0 } }

    package func entriesAdded() { signals.withLock { $0 += 1 } }
}
