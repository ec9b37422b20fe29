package import Audit
import Primitives
import SQL

/// Heads of the log at one moment, and the tree head before.
package struct AuditLogEnd: Sendable {
    package let heads: AuditHeads
    package let treeHead: StoredTreeHead?
    /// Identity of the last archived tree head, which the next one follows if there is no other.
    package let archivedTreeHead: AuditTreeHead.ID?
}

extension Store {
    private static let treeHeads = StaticStatement(
        "SELECT number, statement FROM audit_tree_head WHERE number > $1 ORDER BY number LIMIT $2")
    private static let lastTreeHead = StaticStatement(
        "SELECT number, statement FROM audit_tree_head ORDER BY number DESC LIMIT 1")

    package func treeHeads(after number: Int64, limit: Int) async throws -> [StoredTreeHead] {
        try await database.query(Self.treeHeads(number, limit), Self.treeHead)
    }

    package func lastTreeHead() async throws -> StoredTreeHead? {
        try await database.first(Self.lastTreeHead(), Self.treeHead)
    }

    private static func treeHead(_ row: borrowing Row) throws -> StoredTreeHead {
        StoredTreeHead(number: try row.int64(0), statement: try row.text(1))
    }

    /// One snapshot of what the next tree head is made from. A lane whose entries are all archived has its archived head.
    package func auditLogEnd() async throws -> AuditLogEnd {
        try await database.read { connection in
            let archived = try Self.archivedHead(connection).archived
            return AuditLogEnd(
                heads: AuditHeads((archived?.heads.all ?? []) + (try Self.heads(connection)).all),
                treeHead: try connection.first(Self.lastTreeHead(), Self.treeHead),
                archivedTreeHead: archived?.treeHead)
        }
    }

    static let hashAt = StaticStatement(
        "SELECT lane, place, hash FROM audit_log WHERE lane = $1 AND place = $2")

    /// The first of these heads that the log, or the end of its archive, does not have.
    package func firstLost(of heads: AuditHeads) async throws -> AuditHead? {
        try await database.read { connection in
            try heads.all.first { head in
                let (lane, place) = (head.place.lane, head.place.number)
                if let found = try connection.first(Self.hashAt(lane, place), Self.head) { return found != head }
                return try Self.archived(lane, connection).map {
                    $0.place < head.place || $0.place == head.place && $0 != head
                } ?? true
            }
        }
    }

    /// Stores a tree head. False if another node stored one of that number.
    package func keep(_ treeHead: AuditTreeHead) async throws -> Bool {
        let (number, statement) = (treeHead.id.number, treeHead.statement)
        return try await database.write { connection in
            guard try connection.first(Self.lastTreeHead(), Self.treeHead)?.number ?? 0 < number else { return false }
            return try connection.execute(
                """
                INSERT INTO audit_tree_head (number, statement) VALUES (\(number), \(statement))
                ON CONFLICT (number) DO NOTHING
                """) == 1
        }
    }
}
