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
        let isExpired: Bool
        let isPending: Bool
        let tenant: TenantID
    }

    /// Looks at the next requests after `cursor`, notes in the audit log those that expired by `now` and that nobody
    /// decided, and removes those that ended before `end`. At the end of a walk also removes everything else that ended
    /// before `end`, and outbox entries whose request is gone: no worker would find them.
    /// - Returns: how many requests were removed.
    public func sweep(_ cursor: inout SweepCursor, endedBefore end: Timestamp, now: Timestamp) async throws -> Int {
        let after = cursor.after
        let rows = try await database.read { connection in
            try connection.query(
                """
                SELECT sequence, expires_at, state, tenant FROM backchannel_request WHERE sequence > \(after)
                ORDER BY sequence LIMIT \(Self.sweepStep)
                """
            ) { row in
                let expiresAt = try row.timestamp(1)
                return Swept(
                    sequence: try row.int64(0), isOver: expiresAt < end, isExpired: expiresAt <= now,
                    isPending: try row.int(2) == BackchannelRequest.State.pending.rawValue, tenant: try row.id(3))
            }
        }
        for row in rows where row.isPending && !row.isExpired { cursor.pending[row.tenant, default: 0] += 1 }
        try await inBatches(rows.filter { $0.isPending && $0.isExpired }) { row, connection in
            try expire(row.sequence, now, connection)
        }
        let over = rows.filter(\.isOver)
        try await inBatches(over) { row, connection in
            try connection.execute("DELETE FROM backchannel_request WHERE sequence = \(row.sequence)")
        }
        if rows.count < Self.sweepStep {
            gauge.set(cursor.pending)
            cursor = SweepCursor()
            for table in Self.ending { try await remove(from: table, endedBefore: end) }
            try await removeTickets(expiredBefore: end)
            try await database.write { connection in
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

    private func inBatches(
        _ rows: [Swept], _ change: @escaping @Sendable (Swept, any Connection) throws -> Void
    ) async throws {
        for start in stride(from: 0, to: rows.count, by: Self.sweepBatch) {
            let batch = Array(rows[start..<min(start + Self.sweepBatch, rows.count)])
            try await database.write { connection in
                for row in batch { try change(row, connection) }
            }
        }
    }

    /// Of several nodes that sweep at once, one notes it.
    private func expire(_ sequence: Int64, _ now: Timestamp, _ connection: any Connection) throws {
        let request = try connection.first(
            """
            UPDATE backchannel_request SET state = \(BackchannelRequest.State.expired.rawValue)
            WHERE sequence = \(sequence) AND state = \(BackchannelRequest.State.pending.rawValue) AND expires_at <= \(now)
            RETURNING \(raw: BackchannelRequest.columns.description)
            """
        ) { try BackchannelRequest($0) }
        guard let request else { return }
        try append(
            AuditEvent(
                .expired, tenant: request.tenant, at: now, user: request.user, client: request.client,
                consent: request.consentID, details: ["expires_at": .string(request.expiresAt.iso8601)]), connection)
    }

    /// Rows that end by themselves.
    private struct Ending {
        let table: StaticString
        /// When a row ends.
        let end: StaticString
    }

    private static let ending = [
        Ending(table: "authorization_transaction", end: "expires_at"),
        Ending(table: "pushed_request", end: "expires_at"),
        Ending(table: "authorization_code", end: "kept_until"),
        Ending(
            table: "refresh_token_family",
            end: "CASE WHEN idle_expires_at < expires_at THEN idle_expires_at ELSE expires_at END"),
        Ending(
            table: "session", end: "CASE WHEN idle_expires_at < expires_at THEN idle_expires_at ELSE expires_at END"),
        Ending(table: "password_ticket", end: "expires_at"),
        Ending(table: "email_ticket", end: "expires_at"),
        Ending(table: "password_failure", end: "forgotten_at"),
        Ending(table: "mail", end: "expires_at"),
    ]

    /// Looks at all rows, some at a time, so that an index by their ends is not needed. A row whose end moved since it
    /// was looked at stays.
    private func remove(from ending: Ending, endedBefore end: Timestamp) async throws {
        let over: SQLFragment = "\(raw: ending.end.description) < \(end)"
        var after: Int64 = 0
        while true {
            try Task.checkCancellation()
            let from = after
            let rows = try await database.read { connection in
                try connection.query(
                    """
                    SELECT sequence, CASE WHEN \(over) THEN 1 ELSE 0 END FROM \(raw: ending.table.description)
                    WHERE sequence > \(from) ORDER BY sequence LIMIT \(Self.sweepStep)
                    """
                ) { (sequence: try $0.int64(0), isOver: try $0.bool(1)) }
            }
            let ended = rows.filter(\.isOver).map(\.sequence)
            for start in stride(from: 0, to: ended.count, by: Self.sweepBatch) {
                let batch = Array(ended[start..<min(start + Self.sweepBatch, ended.count)])
                try await database.write { connection in
                    for sequence in batch {
                        try connection.execute(
                            """
                            DELETE FROM \(raw: ending.table.description) WHERE sequence = \(sequence) AND \(over)
                            """)
                    }
                }
            }
            guard rows.count == Self.sweepStep, let last = rows.last else { return }
            after = last.sequence
        }
    }

    /// Tickets of devices and notes of revocations are few, and have no key that grows.
    private func removeTickets(expiredBefore end: Timestamp) async throws {
        for (table, key) in [("enrollment_ticket", "hash"), ("revoked_authorization", "id")] {
            while try await database.write({ connection in
                try connection.execute(
                    """
                    DELETE FROM \(raw: table) WHERE \(raw: key) IN (
                        SELECT \(raw: key) FROM \(raw: table) WHERE expires_at < \(end) LIMIT \(Self.sweepBatch))
                    """)
            }) == Self.sweepBatch {}
        }
    }
}
