import Flows
import Synchronization

/// Announces queues to which a change has added entries, once the change is acknowledged: no worker finds them before.
final class NewEntries: Sendable {
    private static let queues = DeliveryQueue.allCases
    private let watches = Mutex<[@Sendable (DeliveryQueue) -> Void]>([])

    func watch(_ announce: @escaping @Sendable (DeliveryQueue) -> Void) { watches.withLock { $0.append(announce) } }

    func announce(_ notes: ChangeNotes.Kept) {
        guard notes.queues != 0 else { return }
        let watches = watches.withLock { $0 }
        for (place, queue) in Self.queues.enumerated() where notes.queues & (1 << place) != 0 {
            for announce in watches { announce(queue) }
        }
    }
}
