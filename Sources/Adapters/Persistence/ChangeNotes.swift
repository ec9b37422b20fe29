import Audit
import Flows
import SQL
import Tracing

/// Notes of a change on its connection, which count once the change is acknowledged. Until then it may be rolled back.
final class ChangeNotes {
    struct Noted: Sendable {
        /// Last entry of the connection's lane, which an earlier change of the same commit may have appended.
        var last: LoggedPlace?
        /// Kinds of the change's audit entries.
        var kinds: [AuditEvent.Kind] = []
        var queues = QueueSet()
    }

    private(set) var noted: Noted

    /// Span that the change works for, recorded with the deliveries that it causes. Nil without traces.
    let trace: TraceContext?

    init(last: LoggedPlace?, trace: TraceContext? = nil) {
        noted = Noted(last: last)
        self.trace = trace
    }

    static func of(_ connection: any Connection) -> ChangeNotes {
        if let notes = connection.remembered as? ChangeNotes { return notes }
        let notes = ChangeNotes(last: nil)
        connection.remembered = notes
        return notes
    }

    func append(_ last: LoggedPlace, _ kind: AuditEvent.Kind) {
        noted.last = last
        noted.kinds.append(kind)
    }

    func note(_ queue: DeliveryQueue) { noted.queues.insert(queue) }
}

/// Queues to which a change has added entries: a bit for each, because a set would allocate memory at each start.
struct QueueSet: Sendable {
    private static let all = DeliveryQueue.allCases
    private var bits: UInt8 = 0

    var isEmpty: Bool { bits == 0 }

    mutating func insert(_ queue: DeliveryQueue) { bits |= Self.bit(queue) }

    func forEach(_ body: (DeliveryQueue) -> Void) {
        for queue in Self.all where bits & Self.bit(queue) != 0 { body(queue) }
    }

    private static func bit(_ queue: DeliveryQueue) -> UInt8 { 1 << (all.firstIndex(of: queue) ?? 0) }
}
