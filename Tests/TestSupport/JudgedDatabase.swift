import PostgreSQLCluster
import SQL
import Synchronization

/// A store's database that refuses statements whose plan reads whole tables that grow (``PlanJudge``). Each text is judged
/// once in a process, so that every suite over a store judges what it runs.
struct JudgedDatabase: DatabaseWrapper {
    let wrapped: any Database
    let judge: PlanJudge
    /// Gets the judge's own reads, which suites that count accesses do not see.
    let planned: any Database

    func connection(_ connection: any Connection) -> any Connection {
        JudgedConnection(wrapped: connection, judge: judge)
    }

    nonisolated(nonsending) func reduce<Result: Sendable>(
        _ statement: Statement, into initial: Result,
        _ visit: @escaping @Sendable (inout Result, borrowing Row) throws -> Bool
    ) async throws -> Result {
        if judge.needsPlan(of: statement, dialect) {
            if judge.hasServer {
                // Suites count the server's round trips.
                try judge.judge(statement, dialect, nil)
            } else {
                try await planned.read { [judge] in try judge.judge(statement, $0.dialect, $0) }
            }
        }
        return try await wrapped.reduce(statement, into: initial, visit)
    }
}

private struct JudgedConnection: ConnectionWrapper {
    let wrapped: any Connection
    let judge: PlanJudge

    func note(_ statement: Statement) throws {
        if judge.needsPlan(of: statement, dialect) { try judge.judge(statement, dialect, wrapped) }
    }
}

/// Reads the plan of each statement as for tables of ten million rows.
final class PlanJudge: Sendable {
    static let sqlite = PlanJudge(plans: nil)
    static func postgreSQL(_ template: String) throws -> PlanJudge {
        PlanJudge(plans: try PostgreSQLCluster.Plans(copying: template))
    }

    /// Tables with a few rows for each tenant or in all, however many people there are.
    private static let small: Set<String> = [
        "tenant", "configuration", "configuration_object", "signing_key", "web_push_key", "master_key_check",
        "derivation_key", "schema_migrations", "audit_archive", "audit_archive_lane", "audit_key", "work_lease",
    ]
    /// Most rows that a plan may sort.
    private static let sorted = 100_000

    /// Statements that read a whole table on purpose, by a part of their text, with the reason.
    private static let exceptions: [(part: String, reason: String)] = [
        ("WHERE length(", "an operator's check reads a limited number, and the exchange of the master key all"),
        (", seal, \"", "the same, of bound rows"),
        ("authorization_transaction WHERE progress LIKE", "an exchange of the master key"),
        ("pushed_request WHERE tenant = $1 AND client", "an administrator removes a client; rows live for minutes"),
        ("authorization_transaction WHERE tenant = $1 AND client", "the same"),
        ("backchannel_request WHERE tenant = $1", "an administrator removes an API or a tenant; rows live for hours"),
        ("DELETE FROM tenant WHERE", "an operator removes a tenant with all its rows"),
        ("SELECT id FROM tenant WHERE EXISTS", "an operator's check, with a time limit"),
        ("leased_until = NULL WHERE state = 0 AND lease_owner", "a node's start, once, over what waits"),
        ("LIMIT $2 FOR UPDATE SKIP LOCKED", "at most a batch is sorted, whose size the planner does not know"),
        ("FROM device WHERE push_ended_at", "an operator's check, with a time limit"),
        ("SELECT queue, count(*)", "metrics count what waits in a queue, or failed, by an index of those alone"),
        ("\" FROM \"", "a tenant that moves, or a store that is copied, by the schema's own names"),
        ("pragma_", "the schema of a file"),
        ("SELECT tenant, count(*) FROM backchannel_request", "a count once a minute, with a time limit"),
    ]

    private let plans: PostgreSQLCluster.Plans?
    private let judged = Mutex<Set<String>>([])

    private init(plans: PostgreSQLCluster.Plans?) { self.plans = plans }

    func needsPlan(of statement: Statement, _ dialect: any Dialect) -> Bool {
        judged.withLock { $0.insert(statement.text(in: dialect)).inserted }
    }

    /// True if a server of the judge's own makes the plans.
    var hasServer: Bool { plans != nil }

    /// - Parameter connection: makes the plan, unless a server does.
    /// - Throws: `SQLError.mismatch` for a plan that takes longer with each row of a table.
    func judge(_ statement: Statement, _ dialect: any Dialect, _ connection: (any Connection)?) throws {
        let text = statement.text(in: dialect)
        let words = Self.words(text)
        guard !Self.exceptions.contains(where: { words.contains($0.part) }) else { return }
        var fault: String?
        let plan: [String]
        if let plans {
            // Statements of one word, and catalogues.
            guard ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains(where: text.hasPrefix),
                !text.contains("pg_")
            else { return }
            let types = statement.values.map { value in
                switch value {
                case .null: "unknown"
                case .integer: "bigint"
                case .real: "double precision"
                case .text: "text"
                case .blob: "bytea"
                }
            }
            plan = try plans.plan(of: text, types: types)
            fault = Self.fault(ofServer: plan)
        } else if let connection {
            var explanation = Statement(stringLiteral: "EXPLAIN QUERY PLAN \(text)")
            for value in statement.values { explanation = explanation.adding(value) }
            plan = try connection.query(explanation) { try $0.text(3) }
            fault = Self.fault(ofFile: plan, isLimited: text.contains("LIMIT"), besides: Self.names(text))
        } else {
            return
        }
        fault = fault ?? Self.faultOfLists(plan, text)
        if let fault { throw SQLError.mismatch("\(fault) in the plan of: \(words)") }
    }

    /// The log is read by its segments, from the newest or the oldest on, until there are enough entries: any other index
    /// would read all that match. An index of a tenant's rows is for lists alone: a statement about one row or one person
    /// that used it would read all of the tenant's. A search for users may combine conditions that no other index has.
    private static func faultOfLists(_ plan: [String], _ text: String) -> String? {
        if text.contains("FROM segment"), !plan.contains(where: { $0.contains("audit_log_by_segment") }) {
            return "the log is not read segment by segment"
        }
        let columns = ["hash", "\"user\"", ".id"].flatMap { ["\($0) = $", "\($0) = ?"] }
        guard columns.contains(where: text.contains) else { return nil }
        return plan.first { $0.contains("_by_tenant") && !$0.contains("user_profile") }.map { _ in
            "a list's index is used for one row or person"
        }
    }

    private static func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Rows of "… rows=N width=…".
    private static func rows(_ line: String) -> Int {
        line.split(separator: "rows=").dropFirst().first.flatMap { Int($0.prefix(while: \.isNumber)) } ?? 0
    }

    private static func fault(ofServer plan: [String]) -> String? {
        var limits: [Int] = []
        for (index, line) in plan.enumerated() {
            let depth = line.prefix(while: { $0 == " " }).count
            limits.removeAll { $0 >= depth }
            if line.contains("Limit  (") { limits.append(depth) }
            let table = line.split(separator: " on ").dropFirst().first.map {
                String($0.prefix { $0 != " " }.filter { $0 != "\"" })
            }
            if line.contains("Seq Scan on"), let table, !small.contains(table) {
                return "\(table) is read as a whole"
            }
            if line.contains("Index"), line.contains("Scan using"), let table, !small.contains(table), limits.isEmpty {
                let details = plan[(index + 1)...].prefix { !$0.contains("->") }
                if !details.contains(where: { $0.contains("Index Cond") }) {
                    return "an index of \(table) is read whole"
                }
            }
            if line.contains("Sort  ("), rows(line) > sorted { return "\(rows(line)) rows are sorted" }
        }
        return nil
    }

    /// Names that the statement itself gives to queries.
    private static func names(_ text: String) -> Set<String> {
        let words = text.split(whereSeparator: \.isWhitespace)
        return Set(zip(words, words.dropFirst()).filter { $0.0 == "RECURSIVE" }.map { String($0.1) })
    }

    /// - Parameter isLimited: then rows in the order of their keys may be read until there are enough.
    private static func fault(ofFile plan: [String], isLimited: Bool, besides names: Set<String>) -> String? {
        let isSorted = plan.contains { $0.contains("TEMP B-TREE FOR ORDER BY") }
        for line in plan {
            let words = line.split(separator: " ")
            guard words.first == "SCAN", words.count > 1, !line.contains("USING"), !line.contains("CONSTANT ROW") else {
                continue
            }
            let table = String(words[1])
            if small.contains(table) || names.contains(table) || table == "sqlite_schema" { continue }
            if isSorted || !isLimited { return "\(table) is read as a whole" }
        }
        return nil
    }
}
