package import Flows
import Synchronization

/// Keeps the queues that a store announces.
package final class RecordingSignal: Sendable {
    private let signals = Mutex<[DeliveryQueue]>([])

    package init() {}

    package var count: Int { queues.count }
    /// Queues in the order of their signals.
    package var queues: [DeliveryQueue] { signals.withLock { $0 } }

    package func note(_ queue: DeliveryQueue) { signals.withLock { $0.append(queue) } }
}
