import APIDescription
import Administration
import Audit
import AuthorizationCore
import HTTPModel
import JSONSchema
import Primitives

/// `/users/{id}/logs`: a user's entries of the audit log.
struct UserLogRoutes: Sendable {
    let users: ManageUsers
    let logs: TenantLogs

    private static let entry = Shape.object(
        [
            .required("date", .date), .required("type", .text()), .required("description", .text()),
            .required("log_id", .text()),
        ], isOpen: true)

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .get, "/users/{id}/logs", "list_user_logs", "List a user's log entries, newest first",
                in: RouteGroup("Users", scopes: "users"),
                details: """
                    With `from` or `take` entries come newest first and everything else is ignored: `from` is the `log_id` \
                    before which to begin, and `next` is that of the next page.
                    """,
                scopes: [["read:logs"], ["read:logs_users"]],
                parameters: Paging.parameters.prefix(3) + [
                    Operation.Parameter(
                        "sort", in: .query, .choice(["date:1", "date:-1"]), "date:1 begins with the oldest")
                ] + Paging.checkpointParameters,
                answer: Operation.Answer(200, "The entries", Listing.shape("logs", of: Self.entry)), list)
        ]
    }

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        let user = UserID(call.id())
        _ = try await users.user(user, of: call.tenant)
        if case .checkpoint(let from, let take) = call.paging {
            let before = try LogRoutes.logID("from", from)
            let found = try await logs.preceding(before, .user(user), of: .tenant(call.tenant), limit: take)
            let next = found.count == take ? found.last?.id.description : nil
            return .list(Listing("logs", found.map { Self.json($0, call) }, call.paging, next: next))
        }
        let found = try await logs.page(
            .user(user), of: .tenant(call.tenant), offset: call.page * call.perPage, limit: call.perPage,
            oldestFirst: call.query["sort"] == "date:1")
        let needsTotal = call.query["include_totals"]?.boolValue ?? false
        let total = needsTotal ? try await logs.total(.user(user), of: call.tenant) : nil
        return .list(
            Listing("logs", found.map { Self.json($0, call) }, call.paging, total: total))
    }

    private static func json(_ record: LogRecord, _ call: ManagementCall) -> JSONObject {
        let client = record.entry.client.flatMap { call.configuration.client(ClientID($0)) }
        return record.json(clientName: client?.name)
    }
}
