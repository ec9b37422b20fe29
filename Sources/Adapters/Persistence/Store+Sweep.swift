import Audit
package import AuthorizationCore
import Configuration
import Flows
package import Primitives
import SQL

/// Position of a sweep. It walks the requests in order and, beside them, each other table with expiring rows, some rows
/// at a time. At the end it begins again.
package struct SweepCursor: Sendable {
    var after: Int64 = 0
    /// Undecided requests counted on this walk.
    var pending: [TenantID: Int] = [:]
    /// Index of the current table, and the last key read.
    var table = 0
    var key: SQLValue?

    /// True if most rows of the last step were removed, so that another should follow at once.
    package internal(set) var isBehind = false

    package init() {}

    /// True if both walks are at their start.
    package var isAtStart: Bool { after == 0 && table == 0 && key == nil }
}

extension Store {
    /// Rows that one step reads.
    static let sweepStep = 5000
    /// Rows that one transaction deletes, so that it delays no other for long.
    static let sweepBatch = 500

    private struct Swept {
        let sequence: Int64
        let isOver: Bool
        let isExpired: Bool
        let isPending: Bool
        let tenant: TenantID
    }

    /// Reads the next requests, logs undecided ones that expired by `now`, and deletes those that ended before `end`.
    /// Also deletes such rows of one other table, or rows past their own lifetime. Only reads if there is nothing to
    /// change.
    /// - Parameter approvalRetention: Seconds for which a tenant keeps decisions. Zero keeps no expired request for its
    ///   person's history.
    /// - Returns: number of deleted requests.
    package func sweep(
        _ cursor: inout SweepCursor, endedBefore end: Timestamp, now: Timestamp,
        approvalRetention: @escaping @Sendable (TenantID) -> Int = { _ in 0 }
    ) async throws -> Int {
        cursor.isBehind = false
        let requests = try await sweepRequests(
            &cursor, endedBefore: end, now: now, approvalRetention: approvalRetention)
        let rows = try await sweepNextRows(&cursor, endedBefore: end, now: now)
        cursor.isBehind = requests.isBehind || rows.isBehind
        return requests.removed
    }

    /// Result of one step in a table.
    private struct Scan {
        var seen: Int
        var removed: Int

        /// True if there are more rows, and most of these were removed.
        var isBehind: Bool { seen == Store.sweepStep && removed > seen / 2 }
    }

    /// Counts stored undecided requests, for the limits of tenants. May take seconds, on a thread of its own. Until
    /// then only this process's requests count. Some may count twice until the sweep's next walk ends.
    package func countPending(now: Timestamp) async throws {
        for (tenant, count) in try await pendingCounts(now) { gauge.add(count, to: tenant) }
    }

    /// Counts them again, because other nodes start and end requests, too.
    package func recountPending(now: Timestamp) async throws { gauge.set(try await pendingCounts(now)) }

    private func pendingCounts(_ now: Timestamp) async throws -> [TenantID: Int] {
        let counts = try await database.scan(within: .seconds(60)) { connection in
            try connection.query(
                """
                SELECT tenant, count(*) FROM backchannel_request
                WHERE state = \(BackchannelRequest.State.pending.rawValue) AND expires_at > \(now) GROUP BY tenant
                """
            ) { (tenant: try $0.id(0, of: Tenant.self), count: try $0.int(1)) }
        }
        return Dictionary(uniqueKeysWithValues: counts.map { ($0.tenant, $0.count) })
    }

    private func sweepRequests(
        _ cursor: inout SweepCursor, endedBefore end: Timestamp, now: Timestamp,
        approvalRetention: @escaping @Sendable (TenantID) -> Int
    ) async throws -> Scan {
        let after = cursor.after
        let found = try await database.read { connection in
            try connection.query(
                """
                SELECT sequence, expires_at, state, tenant FROM backchannel_request WHERE sequence > \(after)
                ORDER BY sequence LIMIT \(Self.sweepStep)
                """
            ) { row in
                guard case .integer(let place) = try row.value(0) else { throw CorruptRow(what: "backchannel_request") }
                let swept = try readable("backchannel_request") {
                    let expiresAt = try row.timestamp(1)
                    return Swept(
                        sequence: try row.int64(0), isOver: expiresAt < end, isExpired: expiresAt <= now,
                        isPending: try row.int(2) == BackchannelRequest.State.pending.rawValue, tenant: try row.id(3))
                }
                return (place: place, row: swept)
            }
        }
        // The next step goes on behind them, whether or not a row can be read.
        let rows = found.compactMap(\.row)
        for row in rows where row.isPending && !row.isExpired { cursor.pending[row.tenant, default: 0] += 1 }
        try await inBatches(
            rows.filter { $0.isPending && $0.isExpired }, of: "backchannel_request"
        ) { rows, connection in
            for row in rows { try expire(row.sequence, now, approvalRetention, connection) }
            return rows.count
        }
        let over = rows.filter(\.isOver)
        let removed = try await inBatches(over.map(\.sequence), of: "backchannel_request") { keys, connection in
            let removal = Self.removal(of: keys, "sequence", from: "backchannel_request", connection.dialect)
            return try connection.execute("\(removal)")
        }
        if found.count == Self.sweepStep, let last = found.last {
            cursor.after = last.place
        } else {
            gauge.set(cursor.pending)
            cursor.after = 0
            cursor.pending = [:]
        }
        return Scan(seen: found.count, removed: removed)
    }

    /// Nil for a row that cannot be read, which is noted.
    private func readable<Result>(_ table: String, _ read: () throws -> Result) throws -> Result? {
        do {
            return try read()
        } catch  where error.isOfUnreadableRow {
            changedRows.note("\(table), a row that cannot be read")
            return nil
        }
    }

    /// Deletes rows by their keys, without waiting for another change that has some of them: the next walk finds what that
    /// one left.
    private static func removal(
        of keys: [some SQLBindable], _ key: String, from table: String, if condition: SQLFragment = "TRUE",
        _ dialect: any Dialect
    ) -> SQLFragment {
        let theirs: SQLFragment = "\(raw: key) IN (\(padded(keys))) AND \(condition)"
        let words = dialect.holding(.skipping)
        if words.isEmpty { return "DELETE FROM \(raw: table) WHERE \(theirs)" }
        return """
            DELETE FROM \(raw: table) WHERE \(raw: key) IN (
                SELECT \(raw: key) FROM \(raw: table) WHERE \(theirs) ORDER BY \(raw: key) \(raw: words))
            """
    }

    /// Changes rows of `table`. One that cannot be read stays as it is. Returns the sum of what `change` returns: of two
    /// sweeps at once, each counts its own rows.
    @discardableResult
    private func inBatches<Row: Sendable>(
        _ rows: [Row], of table: String, _ change: @escaping @Sendable ([Row], any Connection) throws -> Int
    ) async throws -> Int {
        var count = 0
        for start in stride(from: 0, to: rows.count, by: Self.sweepBatch) {
            let batch = Array(rows[start..<min(start + Self.sweepBatch, rows.count)])
            do {
                count += try await database.write { try change(batch, $0) }
            } catch  where error.isOfUnreadableRow {
                count += try await database.write { connection in
                    try batch.reduce(0) { sum, row in
                        sum + (try readable(table) { try connection.savepoint { try change([row], connection) } } ?? 0)
                    }
                }
            }
        }
        return count
    }

    /// If several nodes sweep at once, one logs the expiry.
    private func expire(
        _ sequence: Int64, _ now: Timestamp, _ approvalRetention: (TenantID) -> Int, _ connection: any Connection
    ) throws {
        let request = try connection.first(
            """
            UPDATE backchannel_request SET state = \(BackchannelRequest.State.expired.rawValue)
            WHERE sequence = \(sequence) AND state = \(BackchannelRequest.State.pending.rawValue) AND expires_at <= \(now)
            RETURNING \(raw: SealedRequest.columns.description)
            """
        ) { try SealedRequest($0) }
        guard let request else { return }
        let place = try append(
            AuditEvent(
                .expired, charge: .server, tenant: request.tenant, at: now, user: request.user, client: request.client,
                consent: request.consentID, details: ["expires_at": .string(request.expiresAt.iso8601)]), connection)
        let end = request.expiresAt
        let kept = UnansweredRequest.keptUntil(end, approvalRetention: approvalRetention(request.tenant))
        if kept > now { try Self.keep(request, .expired, at: end, until: kept, place, connection) }
    }

    /// A table with expiring rows.
    private struct Ending {
        let table: StaticString
        var key: StaticString = "sequence"
        /// Reads the key.
        var read: @Sendable (borrowing Row) throws -> SQLValue = { .integer(try $0.int64(0)) }
        /// Audit event for a removed row. Nil for none.
        var trace: Trace?
        /// Condition for rows to delete: ended before `end`, or past their own lifetime at `now`.
        var isOver: @Sendable (_ end: Timestamp, _ now: Timestamp) -> SQLFragment = { end, _ in "expires_at < \(end)" }
    }

    private struct Trace {
        let columns: SQLFragment
        let event: @Sendable (borrowing Row, _ now: Timestamp) throws -> AuditEvent?
    }

    private static let idleOrExpired: @Sendable (Timestamp, Timestamp) -> SQLFragment = { end, _ in
        "CASE WHEN idle_expires_at < expires_at THEN idle_expires_at ELSE expires_at END < \(end)"
    }

    private static let ending = [
        Ending(table: "authorization_transaction"),
        Ending(table: "pushed_request"),
        Ending(table: "authorization_code", isOver: { end, _ in "kept_until < \(end)" }),
        Ending(table: "refresh_token_family", isOver: idleOrExpired),
        Ending(table: "ended_refresh_token", key: "hash", read: { .blob(try $0.blob(0)) }),
        Ending(table: "session", isOver: idleOrExpired),
        Ending(table: "password_ticket"),
        Ending(table: "email_ticket"),
        Ending(table: "password_failure", isOver: { end, _ in "forgotten_at < \(end)" }),
        Ending(table: "unanswered_request", isOver: { _, now in "kept_until < \(now)" }),
        Ending(table: "user_job", isOver: { _, now in "created_at < \(now - UserJob.retention)" }),
        Ending(table: "rejection_pause", isOver: { _, now in "forgotten_at <= \(now)" }),
        Ending(table: "enrollment_ticket", key: "hash", read: { .blob(try $0.blob(0)) }),
        Ending(table: "revoked_authorization", key: "id", read: { .text(try $0.text(0)) }),
        // Entries that failed stay 30 days for operators, and those that were sent as long as requests. The worker gives up
        // expired entries. An entry that is still there half an hour after its expiry had no worker.
        Ending(
            table: "delivery", key: "id", trace: failedLogout,
            isOver: { end, now in
                """
                CASE WHEN \(raw: DeliverySQL.hasFailed.description) THEN due_at < \(end - .seconds(30 * 86_400))
                    WHEN \(raw: DeliverySQL.isWaiting.description) THEN expires_at < \(now - .seconds(1800))
                    ELSE expires_at < \(end) END
                """
            }),
    ]

    /// Client that was not notified of a logout. Dead letters are already in the audit log.
    private static let failedLogout = Trace(
        columns: "\(raw: DeliveryEntry.columns.description), \(raw: DeliverySQL.isWaiting.description)"
    ) { row, now in
        let entry = try DeliveryEntry(row)
        guard entry.delivery.queue == .logoutNotices, try row.bool(DeliveryEntry.columnCount) else { return nil }
        return LogoutCourier.failure(entry, reason: entry.reasonForLateness, now: now)
    }

    /// Reads all rows, so no index by expiry is needed. A row whose expiry moved since it was read stays.
    private func sweepNextRows(
        _ cursor: inout SweepCursor, endedBefore end: Timestamp, now: Timestamp
    ) async throws -> Scan {
        let ending = Self.ending[cursor.table]
        let (table, key) = (ending.table.description, ending.key.description)
        let isOver = ending.isOver(end, now)
        let rest: SQLFragment = cursor.key.map { "WHERE \(raw: key) > \($0)" } ?? ""
        let found = try await database.read { connection in
            try connection.query(
                """
                SELECT \(raw: key), CASE WHEN \(isOver) THEN 1 ELSE 0 END FROM \(raw: table) \(rest)
                ORDER BY \(raw: key) LIMIT \(Self.sweepStep)
                """
            ) { row in
                (
                    place: try row.value(0),
                    row: try readable(table) { (key: try ending.read(row), isOver: try row.bool(1)) }
                )
            }
        }
        let rows = found.compactMap(\.row)
        let over = rows.filter(\.isOver).map(\.key)
        let removed = try await inBatches(over, of: table) { keys, connection in
            let removal = Self.removal(of: keys, key, from: table, if: isOver, connection.dialect)
            guard let trace = ending.trace else { return try connection.execute("\(removal)") }
            let left = try connection.query("\(removal) RETURNING \(trace.columns)") { try trace.event($0, now) }
            for event in left.compactMap(\.self) { try append(event, connection) }
            return left.count
        }
        if found.count == Self.sweepStep, let last = found.last {
            cursor.key = last.place
        } else {
            cursor.key = nil
            cursor.table = (cursor.table + 1) % Self.ending.count
        }
        return Scan(seen: found.count, removed: removed)
    }
}
