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
                scopes: [["read:logs"], ["read:logs_users"]],
                parameters: Paging.parameters.prefix(3) + [
                    Operation.Parameter(
                        "sort", in: .query, .choice(["date:1", "date:-1"]), "date:1 begins with the oldest")
                ], answer: Operation.Answer(200, "The entries", Listing.shape("logs", of: Self.entry)), list)
        ]
    }

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        let user = UserID(call.id())
        _ = try await users.user(user, of: call.tenant)
        let found = try await logs.page(
            .user(user), of: .tenant(call.tenant), offset: call.page * call.perPage, limit: call.perPage,
            oldestFirst: call.query["sort"] == "date:1")
        let needsTotal = call.query["include_totals"]?.boolValue ?? false
        let total = needsTotal ? try await logs.total(.user(user), of: call.tenant) : nil
        return .list(
            Listing(
                "logs",
                found.map { record in
                    let client = record.entry.client.flatMap { call.configuration.client(ClientID($0)) }
                    return record.json(clientName: client?.name)
                }, call.paging, total: total))
    }
}
