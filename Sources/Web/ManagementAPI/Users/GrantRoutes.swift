import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

/// `/grants`: users' consents to clients.
struct GrantRoutes: Sendable {
    private static let group = RouteGroup("Grants", scopes: "grants")

    let grants: ManageGrants

    var all: [ManagementRoute] {
        let user = Operation.Parameter("user_id", in: .query, .text(1...255), "Id of the user")
        let filter = [
            user, Operation.Parameter("client_id", in: .query, .text(1...255), "Id of the client"),
            Operation.Parameter("audience", in: .query, .text(1...600), "Identifier of the API"),
        ]
        return [
            ManagementRoute(
                .get, "/grants", "list_grants", "List users' consents to clients; CIBA creates none", in: Self.group,
                parameters: filter + Array(Paging.parameters.prefix(3)),
                answer: Operation.Answer(200, "The grants", Listing.shape("grants", of: LoginShapes.grant)), list),
            ManagementRoute(
                .delete, "/grants/{id}", "delete_grant", "Delete a consent and its refresh tokens", in: Self.group,
                answer: Operation.Answer(204, "The consent is deleted")
            ) { call in
                try await removing(.grant) { try await grants.remove(call.id(), for: call.context) }
            },
            ManagementRoute(
                .delete, "/grants", "delete_user_grants", "Delete all consents of a user", in: Self.group,
                parameters: [
                    Operation.Parameter("user_id", in: .query, .text(1...255), "Id of the user", isRequired: true)
                ], answer: Operation.Answer(204, "The consents are deleted")
            ) { call in
                try await grants.removeAll(of: UserID(call.required("user_id")), for: call.context)
            },
        ]
    }

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        func text(_ name: String) -> String? { call.query[name]?.stringValue }
        let filter = ConsentFilter(
            user: text("user_id").map { UserID($0) }, client: text("client_id").map { ClientID($0) },
            audience: text("audience"))
        let (found, total) = try await grants.list(
            filter, in: call.tenant, skip: Paging.skipped(call.page, call.perPage), limit: call.perPage)
        return .list(Listing("grants", found.map(LoginShapes.json), call.paging, total: total))
    }
}
