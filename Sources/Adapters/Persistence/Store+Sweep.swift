import AuthorizationCore
public import Primitives
import SQL

/// Where a sweep stands: it walks the requests in order, some at a time, and begins anew at the end.
public struct SweepCursor: Sendable {
    var after: Int64 = 0
    /// Undecided requests counted on this walk.
    var pending: [TenantID: Int] = [:]

    public init() {}
}

extension Store {
    /// Rows that one step looks at.
    static let sweepStep = 5000
    /// Rows that one transaction removes, so that it delays no other for long.
    static let sweepBatch = 500

    private struct Swept {
        let sequence: Int64
        let isOver: Bool
        let isPending: Bool
        let tenant: TenantID
    }

    /// Looks at the next requests after `cursor`, and removes those that ended before `end`. A request that nobody
    /// decided is noted in the audit log as expired when it is removed. At the end of a walk also removes tickets and
    /// refresh tokens that expired before `end`, and outbox entries whose request is gone: no worker would find them.
    /// - Returns: how many requests were removed.
    public func sweep(_ cursor: inout SweepCursor, endedBefore end: Timestamp) async throws -> Int {
        let after = cursor.after
        let rows = try await database.read { connection in
            try connection.query(
                """
                SELECT sequence, expires_at, state, tenant FROM backchannel_request WHERE sequence > \(after)
                ORDER BY sequence LIMIT \(Self.sweepStep)
                """
            ) { row in
                Swept(
                    sequence: try row.int64(0), isOver: try row.timestamp(1) < end, isPending: try row.int(2) == 0,
                    tenant: try row.id(3))
            }
        }
        for row in rows where row.isPending && !row.isOver { cursor.pending[row.tenant, default: 0] += 1 }
        let over = rows.filter(\.isOver)
        for start in stride(from: 0, to: over.count, by: Self.sweepBatch) {
            let batch = Array(over[start..<min(start + Self.sweepBatch, over.count)])
            try await database.write { connection in
                for row in batch { try Self.remove(row.sequence, connection) }
            }
        }
        if rows.count < Self.sweepStep {
            gauge.set(cursor.pending)
            cursor = SweepCursor()
            try await database.write { connection in
                try connection.execute("DELETE FROM enrollment_ticket WHERE expires_at < \(end)")
                try connection.execute("DELETE FROM refresh_token_family WHERE expires_at < \(end)")
                try connection.execute(
                    """
                    DELETE FROM outbox WHERE NOT EXISTS
                        (SELECT 1 FROM backchannel_request r WHERE r.sequence = outbox.request)
                    """)
            }
        } else {
            cursor.after = rows.last?.sequence ?? 0
        }
        return over.count
    }

    private static func remove(_ sequence: Int64, _ connection: any Connection) throws {
        let request = try connection.first(
            """
            DELETE FROM backchannel_request WHERE sequence = \(sequence) RETURNING \(raw: BackchannelRequest.columns.description)
            """
        ) { try BackchannelRequest($0) }
        guard let request, request.state == .pending else { return }
        try append(
            AuditEvent(
                .expired, tenant: request.tenant, at: request.expiresAt, user: request.user, client: request.client,
                consent: request.consentID), connection)
    }
}
