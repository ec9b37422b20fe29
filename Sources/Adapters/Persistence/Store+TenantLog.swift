package import Audit
package import AuthorizationCore
package import Primitives
import SQL

extension Store: TenantLogStore {
    private static let lastNumber = StaticStatement("SELECT id FROM audit_log ORDER BY id DESC LIMIT 1")

    package func lastEntry() async throws -> Int64 {
        try await database.first(Self.lastNumber()) { try $0.int64(0) } ?? 0
    }

    private static let lastNumberOfLane = StaticStatement(
        "SELECT id FROM audit_log WHERE lane = $1 ORDER BY place DESC LIMIT 1")

    /// A change under way appends entries above its lane's last one. The three reads follow each other: an entry that the
    /// first one may have passed over belongs to a lane that the second finds, or the third finds the entry.
    package func settledEntry() async throws -> Int64 {
        let last = try await lastEntry()
        guard let changingLanes = database.dialect.changingLanes else { return last }
        let lanes = try await database.query(changingLanes) { try $0.int64(0) }
        return try await database.read { connection in
            try lanes.reduce(last) { least, lane in
                min(least, try connection.first(Self.lastNumberOfLane(lane)) { try $0.int64(0) } ?? 0)
            }
        }
    }

    private static let columns = AuditEntry.columnNames.map { #"l."\#($0)""# }.joined(separator: ", ")

    package func entries(
        of scope: LogScope, matching query: LogQuery, in numbers: ClosedRange<Int64>, newestFirst: Bool, limit: Int
    ) async throws -> [LoggedEntry] {
        let statement: Statement = """
            \(Self.segment(numbers))
            SELECT \(raw: Self.columns), coalesce(u.email, u.name)
            FROM segment CROSS JOIN audit_log l LEFT JOIN "user" u ON u.tenant = l.tenant AND u.id = l."user"
            WHERE \(condition(scope, query, numbers))
            ORDER BY l.id \(raw: newestFirst ? "DESC" : "ASC") LIMIT \(limit)
            """
        return try await database.scan(within: Self.longestWindow) { connection in
            try connection.query(statement) { row in
                LoggedEntry(entry: try AuditEntry(row), userName: try row.optionalText(AuditEntry.columnCount))
            }
        }
    }

    package func count(
        of tenant: TenantID, matching query: LogQuery, in numbers: ClosedRange<Int64>, limit: Int
    ) async throws -> Int {
        let statement: Statement = """
            \(Self.segment(numbers))
            SELECT count(*) FROM (
                SELECT 1 FROM segment CROSS JOIN audit_log l WHERE \(condition(.tenant(tenant), query, numbers))
                LIMIT \(limit)) counted
            """
        return try await database.scan(within: Self.longestWindow) { connection in
            try connection.first(statement) { try $0.int(0) } ?? 0
        }
    }

    /// Limit for reading one window of entries, which takes hundredths of a second on an idle machine.
    private static let longestWindow = Duration.seconds(30)

    /// Entries of a segment, as in the index `audit_log_by_segment`.
    private static let segment: Int64 = 128

    /// Segments that hold these entries.
    private static func segment(_ numbers: ClosedRange<Int64>) -> SQLFragment {
        """
        WITH RECURSIVE segment (number) AS (
            SELECT \(numbers.lowerBound / segment)
            UNION ALL SELECT number + 1 FROM segment WHERE number < \(numbers.upperBound / segment))
        """
    }

    private func condition(_ scope: LogScope, _ query: LogQuery, _ numbers: ClosedRange<Int64>) -> SQLFragment {
        let isInScope: SQLFragment =
            switch scope {
            case .tenant(let tenant): "l.tenant = \(tenant)"
            case .allTenants: "TRUE"
            }
        let isMeant = condition(query)
        return """
            l.id / \(raw: String(Self.segment)) = segment.number AND \(isInScope)
                AND l.id BETWEEN \(numbers.lowerBound) AND \(numbers.upperBound) AND \(isMeant)
            """
    }

    private func condition(_ query: LogQuery) -> SQLFragment {
        func joined(_ parts: [LogQuery], by word: StaticString) -> SQLFragment {
            "(\(SQLFragment.joined(parts.map(condition), by: word)))"
        }
        switch query {
        case .everything: return "TRUE"
        case .text(let field, let match): return UserCondition.text("l.\(Self.column(field))", match, database.dialect)
        case .userName(let match):
            let name = UserCondition.text("coalesce(n.email, n.name)", match, database.dialect)
            return #"l."user" IN (SELECT n.id FROM "user" n WHERE n.tenant = l.tenant AND \#(name))"#
        case .since(let moment): return "l.at >= \(moment)"
        case .before(let moment): return "l.at < \(moment)"
        case .all(let parts): return parts.isEmpty ? "TRUE" : joined(parts, by: " AND ")
        case .any(let parts): return parts.isEmpty ? "FALSE" : joined(parts, by: " OR ")
        // A null column does not match, so its negation does.
        case .not(let part): return "NOT coalesce(\(condition(part)), FALSE)"
        }
    }

    private static func column(_ field: LogQuery.Field) -> String {
        switch field {
        case .type: "kind"
        case .user: #""user""#
        case .client: "client"
        case .device: "device"
        case .consent: "consent"
        case .address: "remote_address"
        case .correlation: "correlation_id"
        case .userAgent: "user_agent"
        }
    }

    private static let dailyCounts = StaticStatement(
        "SELECT kind, day, CAST(sum(count) AS BIGINT) FROM audit_daily WHERE tenant = $1 AND day >= $2 AND day < $3",
        "GROUP BY day, kind ORDER BY day, kind")
    private static let activeUsers = StaticStatement(
        "SELECT count(*) FROM user_profile WHERE tenant = $1 AND last_login >= $2")

    package func daily(_ tenant: TenantID, from: Timestamp, to: Timestamp) async throws -> [DailyCount] {
        try await database.query(Self.dailyCounts(tenant, from.seconds / 86_400, to.seconds / 86_400)) { row in
            guard let kind = AuditEvent.Kind(rawValue: try row.text(0)) else { throw CorruptRow(what: "kind") }
            return DailyCount(kind: kind, day: Timestamp(seconds: try row.int64(1) * 86_400), count: try row.int(2))
        }
    }

    package func activeUsers(_ tenant: TenantID, since: Timestamp) async throws -> Int {
        try await database.first(Self.activeUsers(tenant, since)) { try $0.int(0) } ?? 0
    }
}
