import APIDescription
import Audit
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import OAuthWire
import Primitives
import SearchQuery

/// `/logs` and `/stats`: the tenant's log and statistics.
struct LogRoutes: Sendable {
    private static let group = RouteGroup("Logs", scopes: "logs")
    private static let statistics = RouteGroup("Statistics", scopes: "stats")
    private static let scopes = [["read:logs"], ["read:logs_users"]]
    /// Number of days in `/stats/daily` if the request does not set the first.
    private static let dailyPreset = 30

    let logs: TenantLogs
    let statistics: Statistics

    private static let entry = Shape.object(
        [
            .required("_id", .text()), .required("log_id", .text()), .required("date", .date),
            .required("type", .text(), "Auth0's code, or if it has none, a name such as ciba_start_succeeded"),
            Member("description", .text()), Member("details", .anyObject),
        ], isOpen: true)

    private static let example: JSONValue = [
        "date": "2026-01-31T12:00:00.000Z", "type": "ciba_start_succeeded",
        "description": "Backchannel authentication started", "client_id": "agent", "isMobile": false, "details": [:],
        "_id": "90000000000000000042", "log_id": "90000000000000000042",
    ]

    private static let details = """
        With `from` or `take` entries come in the order in which they were written, and everything else is ignored: \
        `from` is the `log_id` behind which to begin, and the header `Link` says where the next page is. Otherwise they \
        come newest first, or oldest first with `sort=date:1`, as far as the first \(TenantLogs.depthLimit).

        `q` has the syntax of user searches: `type:(ciba_start_succeeded OR ciba*)`, `-user_id:"auth0|…"`, \
        `date:[2026-01-01 TO 2026-01-31]`. Its fields are \(LogQuery.fieldNames.joined(separator: ", ")); a term without \
        a field looks in all but `date` and `user_name`. Names of users and clients are those that they have now.
        """

    private static let query = Shape.text(0...QuerySyntax.lengthLimit)

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .get, "/logs", "list_logs", "Read the log", in: Self.group, details: Self.details, scopes: Self.scopes,
                parameters: [
                    Operation.Parameter(
                        "q", in: .query, Self.query, "Search query, at most \(QuerySyntax.lengthLimit) bytes"),
                    Operation.Parameter("search", in: .query, Self.query, "The same as `q`"),
                    Operation.Parameter(
                        "sort", in: .query, .choice(["date:1", "date:-1"]), "Oldest first, or newest first"),
                    Operation.Parameter(
                        "before", in: .query, .text(1...64),
                        "`log_id` of the entry behind which a page goes on, newest first, instead of `page`"),
                ] + Paging.parameters + Projection.parameters,
                answer: Operation.Answer(
                    200, "The entries", Listing.shape("logs", of: Self.entry), example: [Self.example]), list),
            ManagementRoute(
                .get, "/logs/{id}", "get_log", "Show an entry of the log", in: Self.group, scopes: Self.scopes,
                parameters: Projection.parameters,
                answer: Operation.Answer(200, "The entry", Self.entry, example: Self.example)
            ) { call in
                guard let id = LogID(call.id()), let record = try await logs.record(id, of: call.tenant) else {
                    throw AdministrationFailure.unknown(.log)
                }
                return .object(Self.json(record, call))
            },
            ManagementRoute(
                .get, "/stats/active-users", "count_active_users", "Count the users who logged in within 30 days",
                in: Self.statistics, answer: Operation.Answer(200, "Number of users", .integer(), example: 42)
            ) { call in
                .value(.number(JSONNumber(try await statistics.activeUsers(call.tenant, now: call.now))))
            },
            ManagementRoute(
                .get, "/stats/daily", "list_daily_statistics", "Count events per day", in: Self.statistics,
                details: "Days are of UTC, at most \(Statistics.dayLimit); default: the last \(Self.dailyPreset).",
                parameters: [
                    Operation.Parameter("from", in: .query, Self.day, "The first day, as YYYYMMDD"),
                    Operation.Parameter("to", in: .query, Self.day, "The last day, as YYYYMMDD"),
                ], answer: Operation.Answer(200, "The days, oldest first", .list(Self.dailyShape)), daily),
        ]
    }

    private static let day = Shape.text(8...8, pattern: "^[0-9]{8}$")
    private static let dailyShape = Shape.object(
        [.required("date", .date), .required("logins", .integer()), .required("signups", .integer())], isOpen: true)

    private static func json(_ record: LogRecord, _ call: ManagementCall) -> JSONObject {
        let client = record.entry.client.flatMap { call.configuration.client(ClientID($0))?.name }
        return record.json(clientName: client)
    }

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        switch call.paging {
        case .checkpoint(let from, let take): return try await listBehind(from, take, call)
        case .offset(let page, let perPage, let includesTotals):
            let query = try Self.query(call)
            if let before = try Self.logID("before", call.query["before"]?.stringValue) {
                guard page == 0, !includesTotals, call.query["sort"]?.stringValue != "date:1" else {
                    throw ManagementFailure.invalidQuery(
                        "excludes page, include_totals and the oldest first", at: "before")
                }
                let records = try await logs.preceding(before, query, of: .tenant(call.tenant), limit: perPage)
                return .value(.array(records.map { .object(Self.json($0, call)) }))
            }
            let records = try await logs.page(
                query, of: .tenant(call.tenant), offset: min(Paging.skipped(page, perPage), TenantLogs.depthLimit),
                limit: perPage, oldestFirst: call.query["sort"]?.stringValue == "date:1")
            let total = includesTotals ? try await logs.total(query, of: call.tenant) : nil
            return .list(Listing("logs", records.map { Self.json($0, call) }, call.paging, total: total))
        }
    }

    /// Returns a bare list, as Auth0 does. At the end, `Link` repeats the reader's position.
    private func listBehind(_ from: String?, _ take: Int, _ call: ManagementCall) async throws -> ManagementAnswer {
        let checkpoint = try Self.logID("from", from)
        let records = try await logs.following(checkpoint, of: .tenant(call.tenant), limit: take)
        var next = EndpointPath.management.url(below: call.configuration.tenant.issuer) + "/logs?take=\(take)"
        if let id = records.last?.id ?? checkpoint { next += "&from=\(id)" }
        return .value(.array(records.map { .object(Self.json($0, call)) }), fields: ["Link": "<\(next)>; rel=\"next\""])
    }

    static func logID(_ name: String, _ text: String?) throws(ManagementFailure) -> LogID? {
        guard let text else { return nil }
        guard let id = LogID(text) else { throw .invalidQuery("is no log_id", at: name) }
        return id
    }

    private static func query(_ call: ManagementCall) throws(ManagementFailure) -> LogQuery {
        for name in ["q", "search"] {
            guard let text = call.query[name]?.stringValue else { continue }
            do {
                return try LogQuery(parsing: text, clients: call.configuration.clients)
            } catch {
                guard case .unknownField(_, nil) = error.reason else { throw .invalidQuery("\(error)", at: name) }
                let known = LogQuery.fieldNames.joined(separator: ", ")
                throw .invalidQuery("\(error); there are \(known)", at: name)
            }
        }
        return .everything
    }

    @Sendable private func daily(_ call: ManagementCall) async throws -> ManagementAnswer {
        func day(_ name: String) throws(ManagementFailure) -> Timestamp? {
            guard let text = call.query[name]?.stringValue else { return nil }
            guard let day = Statistics.day(text) else { throw .invalidQuery("is no day of the calendar", at: name) }
            return day
        }
        let last = try day("to") ?? call.now
        let first = try day("from") ?? last - .seconds((Self.dailyPreset - 1) * 86_400)
        let days = try await statistics.daily(call.tenant, from: first, through: last)
        return .value(.array(days.map { .object($0.json) }))
    }
}
