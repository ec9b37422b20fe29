package import Audit
import AuthorizationCore
package import Primitives
import SQL

/// Entries that wait in a queue of the store.
package struct QueueDepth: Sendable, Equatable {
    package let entries: Int
    /// Since the oldest entry was due; zero where none is.
    package let age: Duration
}

extension Store {
    /// Entries of the audit log that this process appended, by what they tell.
    package var eventCounts: [AuditEvent.Kind: Int] { auditWatch.counts }

    /// The queues by their names.
    package func queueDepths(now: Timestamp) async throws -> [(name: String, depth: QueueDepth)] {
        try await database.read { connection in
            func depth(_ statement: Statement) throws -> QueueDepth {
                let found = try connection.first(statement) { (try $0.int(0), try $0.optionalTimestamp(1)) }
                let age = found?.1.map { max(.zero, now - $0) } ?? .zero
                return QueueDepth(entries: found?.0 ?? 0, age: age)
            }
            return [
                ("notifications", try depth("SELECT count(*), min(due_at) FROM outbox")),
                ("mail", try depth("SELECT count(*), min(created_at) FROM mail")),
                ("logout_notices", try depth("SELECT count(*), min(ended_at) FROM logout_notice")),
            ]
        }
    }
}
