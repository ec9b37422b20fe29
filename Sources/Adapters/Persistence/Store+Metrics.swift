package import Audit
package import Primitives
import Flows
import SQL

/// Waiting entries of a queue.
package struct QueueDepth: Sendable, Equatable {
    package let entries: Int
    /// Age of the oldest entry. Zero without entries.
    package let age: Duration
}

extension Store {
    /// Audit entries that this process appended, by kind.
    package var eventCounts: [AuditEvent.Kind: Int] { auditWatch.counts }

    package func queueDepths(now: Timestamp) async throws -> [(name: String, depth: QueueDepth)] {
        let waiting = try await database.query(
            """
            SELECT queue, count(*), min(created_at) FROM delivery
            WHERE \(raw: DeliverySQL.isWaiting.description) GROUP BY queue
            """
        ) { (queue: try $0.text(0), entries: try $0.int(1), oldest: try $0.timestamp(2)) }
        return DeliveryQueue.allCases.map { queue in
            let found = waiting.first { $0.queue == queue.rawValue }
            return (
                queue.rawValue,
                QueueDepth(entries: found?.entries ?? 0, age: found.map { max(.zero, now - $0.oldest) } ?? .zero)
            )
        }
    }

    /// Entries that were given up. `earliest` limits them to those given up from that time on.
    package func deadLetters(since earliest: Timestamp? = nil) async throws -> [(name: String, count: Int)] {
        let dead = try await database.query(
            """
            SELECT queue, count(*) FROM delivery
            WHERE \(raw: DeliverySQL.isDead.description) AND due_at >= \(earliest?.milliseconds ?? .min) GROUP BY queue
            """
        ) { (queue: try $0.text(0), count: try $0.int(1)) }
        return DeliveryQueue.allCases.map { queue in
            (queue.rawValue, dead.first { $0.queue == queue.rawValue }?.count ?? 0)
        }
    }
}
