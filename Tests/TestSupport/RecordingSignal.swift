package import Flows
import Synchronization

/// Keeps the signals for new entries.
package final class RecordingSignal: DeliverySignal {
    private let signals = Mutex<[DeliveryQueue]>([])

    package init() {}

    package var count: Int { queues.count }
    /// Queues in the order of their signals.
    package var queues: [DeliveryQueue] { signals.withLock { $0 } }

    package func entriesAdded(to queue: DeliveryQueue) { signals.withLock { $0.append(queue) } }
}
