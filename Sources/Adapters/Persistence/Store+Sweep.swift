import Audit
import AuthorizationCore
import Flows
package import Primitives
import SQL

/// Position of a sweep. It walks the requests in their order and, beside them, one table after the other of those
/// whose rows end: some rows at a time, and anew at the end.
package struct SweepCursor: Sendable {
    var after: Int64 = 0
    /// Undecided requests counted on this walk.
    var pending: [TenantID: Int] = [:]
    /// Index of the table that is walked, and the last key that was read.
    var table = 0
    var key: SQLValue?

    /// True if most rows of the last step were over, so that another should follow at once.
    package internal(set) var isBehind = false

    package init() {}

    /// True if both walks begin with the next step.
    package var isAtStart: Bool { after == 0 && table == 0 && key == nil }
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

    /// Looks at the next requests, notes in the audit log those that expired by `now` and that nobody decided, and
    /// removes those that ended before `end`. Looks also at some rows of one other table, and removes what ended there
    /// before `end`, or has a life of its own that is over. Where it finds nothing to change it only reads.
    /// - Returns: how many requests were removed.
    package func sweep(_ cursor: inout SweepCursor, endedBefore end: Timestamp, now: Timestamp) async throws -> Int {
        cursor.isBehind = false
        let requests = try await sweepRequests(&cursor, endedBefore: end, now: now)
        let rows = try await sweepNextRows(&cursor, endedBefore: end, now: now)
        cursor.isBehind = requests.isBehind || rows.isBehind
        return requests.removed
    }

    /// Result of a look at some rows.
    private struct Look {
        var seen: Int
        var removed: Int

        /// True if there are more rows, and most of these were over.
        var isBehind: Bool { seen == Store.sweepStep && removed > seen / 2 }
    }

    /// Counts the undecided requests that this process did not start itself, for the limits of tenants. May take some
    /// seconds, on a thread of its own; until then those of this process alone count, and some may count twice until the
    /// sweep's next walk ends.
    package func countPending(now: Timestamp) async throws {
        let counts = try await database.scan(within: .seconds(60)) { connection in
            try connection.query(
                """
                SELECT tenant, count(*) FROM backchannel_request
                WHERE state = \(BackchannelRequest.State.pending.rawValue) AND expires_at > \(now) GROUP BY tenant
                """
            ) { (tenant: try $0.id(0, of: TenantTag.self), count: try $0.int(1)) }
        }
        for (tenant, count) in counts { gauge.add(count, to: tenant) }
    }

    private func sweepRequests(
        _ cursor: inout SweepCursor, endedBefore end: Timestamp, now: Timestamp
    ) async throws -> Look {
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
        if rows.count == Self.sweepStep, let last = rows.last {
            cursor.after = last.sequence
        } else {
            gauge.set(cursor.pending)
            cursor.after = 0
            cursor.pending = [:]
        }
        return Look(seen: rows.count, removed: over.count)
    }

    private func inBatches<Row: Sendable>(
        _ rows: [Row], _ change: @escaping @Sendable (Row, any Connection) throws -> Void
    ) async throws {
        for start in stride(from: 0, to: rows.count, by: Self.sweepBatch) {
            let batch = Array(rows[start..<min(start + Self.sweepBatch, rows.count)])
            try await database.write { connection in
                for row in batch { try change(row, connection) }
            }
        }
    }

    /// One of several nodes that sweep at once notes it.
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
        var key: StaticString = "sequence"
        /// The type of the key.
        var read: @Sendable (borrowing Row) throws -> SQLValue = { .integer(try $0.int64(0)) }
        /// The audit event that a removed row leaves. Nil if it leaves none.
        var trace: Trace?
        /// True for rows to remove: they ended before `end`, or a life of their own is over `now`.
        let isOver: @Sendable (_ end: Timestamp, _ now: Timestamp) -> SQLFragment
    }

    private struct Trace {
        let columns: SQLFragment
        let event: @Sendable (borrowing Row, _ now: Timestamp) throws -> AuditEvent?
    }

    private static let idleOrExpired: @Sendable (Timestamp, Timestamp) -> SQLFragment = { end, _ in
        "CASE WHEN idle_expires_at < expires_at THEN idle_expires_at ELSE expires_at END < \(end)"
    }

    private static let ending = [
        Ending(table: "authorization_transaction") { end, _ in "expires_at < \(end)" },
        Ending(table: "pushed_request") { end, _ in "expires_at < \(end)" },
        Ending(table: "authorization_code") { end, _ in "kept_until < \(end)" },
        Ending(table: "refresh_token_family", isOver: idleOrExpired),
        Ending(table: "ended_refresh_token", key: "hash", read: { .blob(try $0.blob(0)) }) { end, _ in
            "expires_at < \(end)"
        },
        Ending(table: "session", isOver: idleOrExpired),
        Ending(table: "password_ticket") { end, _ in "expires_at < \(end)" },
        Ending(table: "email_ticket") { end, _ in "expires_at < \(end)" },
        Ending(table: "password_failure") { end, _ in "forgotten_at < \(end)" },
        Ending(table: "enrollment_ticket", key: "hash", read: { .blob(try $0.blob(0)) }) { end, _ in
            "expires_at < \(end)"
        },
        Ending(table: "revoked_authorization", key: "id", read: { .text(try $0.text(0)) }) { end, _ in
            "expires_at < \(end)"
        },
        // Dead letters stay 30 days for operators. The worker gives up what expired: an entry that is still there half an
        // hour later, whatever the retention, had no worker.
        Ending(table: "delivery", key: "id", trace: untold) { end, now in
            """
            CASE state WHEN \(DeliveryState.dead.rawValue) THEN due_at < \(end - .seconds(30 * 86_400))
                ELSE expires_at < \(now - .seconds(1800)) END
            """
        },
    ]

    /// A client that was not told of a logout. Dead letters are in the audit log already.
    private static let untold = Trace(columns: "\(DeliveryEntry.columns), state") { row, now in
        let entry = try DeliveryEntry(row)
        guard entry.delivery.queue == .logoutNotices, try row.int(10) == DeliveryState.waiting.rawValue else {
            return nil
        }
        return LogoutCourier.failure(entry, reason: entry.reasonForLateness, now: now)
    }

    /// Looks at all rows, so that an index by their ends is not needed. A row whose end moved since it was looked at
    /// stays.
    private func sweepNextRows(
        _ cursor: inout SweepCursor, endedBefore end: Timestamp, now: Timestamp
    ) async throws -> Look {
        let ending = Self.ending[cursor.table]
        let (table, key) = (ending.table.description, ending.key.description)
        let isOver = ending.isOver(end, now)
        let rest: SQLFragment = cursor.key.map { "WHERE \(raw: key) > \($0)" } ?? ""
        let rows = try await database.read { connection in
            try connection.query(
                """
                SELECT \(raw: key), CASE WHEN \(isOver) THEN 1 ELSE 0 END FROM \(raw: table) \(rest)
                ORDER BY \(raw: key) LIMIT \(Self.sweepStep)
                """
            ) { (key: try ending.read($0), isOver: try $0.bool(1)) }
        }
        let over = rows.filter(\.isOver).map(\.key)
        try await inBatches(over) { row, connection in
            let removal: SQLFragment = "DELETE FROM \(raw: table) WHERE \(raw: key) = \(row) AND \(isOver)"
            guard let trace = ending.trace else {
                try connection.execute("\(removal)")
                return
            }
            let left = try connection.first("\(removal) RETURNING \(trace.columns)") { try trace.event($0, now) }
            if let left = left ?? nil { try append(left, connection) }
        }
        if rows.count == Self.sweepStep, let last = rows.last {
            cursor.key = last.key
        } else {
            cursor.key = nil
            cursor.table = (cursor.table + 1) % Self.ending.count
        }
        return Look(seen: rows.count, removed: over.count)
    }
}
