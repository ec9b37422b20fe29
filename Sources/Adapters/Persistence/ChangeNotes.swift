import Audit
import Flows
import SQL

/// Notes of a change on its connection, which count once the change is acknowledged. Until then it may be rolled back.
final class ChangeNotes {
    /// The notes of an acknowledged change.
    struct Kept: Sendable {
        let head: AuditHead?
        /// Kinds of its audit entries.
        let kinds: [AuditEvent.Kind]
        /// Queues with new entries, a bit for each by its place in `DeliveryQueue.allCases`.
        let queues: UInt8
    }

    /// Last entry of the audit log, which an earlier change of the same commit may have appended.
    private(set) var head: AuditHead?
    private var kinds: [AuditEvent.Kind] = []
    private var queues: UInt8 = 0

    init(head: AuditHead?) { self.head = head }

    static func of(_ connection: any Connection) -> ChangeNotes {
        if let notes = connection.remembered as? ChangeNotes { return notes }
        let notes = ChangeNotes(head: nil)
        connection.remembered = notes
        return notes
    }

    /// Nil if the change noted nothing.
    var kept: Kept? {
        guard !kinds.isEmpty || queues != 0 else { return nil }
        return Kept(head: kinds.isEmpty ? nil : head, kinds: kinds, queues: queues)
    }

    func append(_ head: AuditHead, _ kind: AuditEvent.Kind) {
        self.head = head
        kinds.append(kind)
    }

    func note(_ queue: DeliveryQueue) {
        for (place, known) in DeliveryQueue.allCases.enumerated() where known == queue { queues |= 1 << place }
    }
}
