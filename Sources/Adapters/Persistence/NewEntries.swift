import Flows
import Synchronization

/// Announces queues to which a change has added entries, once the change is acknowledged: no worker finds them before.
final class NewEntries: Sendable {
    private let watches = Mutex<[@Sendable (DeliveryQueue) -> Void]>([])

    func watch(_ announce: @escaping @Sendable (DeliveryQueue) -> Void) { watches.withLock { $0.append(announce) } }

    func announce(_ queues: QueueSet) {
        guard !queues.isEmpty else { return }
        let watches = watches.withLock { $0 }
        queues.forEach { queue in for announce in watches { announce(queue) } }
    }
}
