import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import Primitives

/// `/grants`: users' consents to clients.
struct GrantRoutes: Sendable {
    private static let tag = "Grants"

    let grants: ManageGrants

    var all: [ManagementRoute] {
        let user = Operation.Parameter("user_id", in: .query, .text(1...255), "Whose")
        let filter = [
            user, Operation.Parameter("client_id", in: .query, .text(1...255), "To which client"),
            Operation.Parameter("audience", in: .query, .text(1...600), "For which API"),
        ]
        return [
            ManagementRoute(
                .get, "/grants", "list_grants", "List what users allowed clients; CIBA makes none of them",
                tag: Self.tag, scopes: [["read:grants"]],
                parameters: filter + Array(Paging.parameters.prefix(3)),
                answer: Operation.Answer(200, "The grants", Listing.shape("grants", of: LoginShapes.grant)), list),
            ManagementRoute(
                .delete, "/grants/{id}", "delete_grant",
                "Take back a grant, with the refresh tokens that were given on the strength of it", tag: Self.tag,
                scopes: [["delete:grants"]], answer: Operation.Answer(204, "There is no such grant any more")
            ) { call in
                try await removing(.grant) { try await grants.remove(call.id(), for: call.context) }
                return .nothing()
            },
            ManagementRoute(
                .delete, "/grants", "delete_user_grants", "Take back all grants of a user", tag: Self.tag,
                scopes: [["delete:grants"]],
                parameters: [
                    Operation.Parameter("user_id", in: .query, .text(1...255), "Whose", isRequired: true)
                ], answer: Operation.Answer(204, "There are none any more")
            ) { call in
                try await grants.removeAll(of: UserID(call.query["user_id"]?.stringValue ?? ""), for: call.context)
                return .nothing()
            },
        ]
    }

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        func text(_ name: String) -> String? { call.query[name]?.stringValue }
        let filter = ConsentFilter(
            user: text("user_id").map { UserID($0) }, client: text("client_id").map { ClientID($0) },
            audience: text("audience"))
        let page = call.query["page"]?.intValue ?? 0
        let perPage = call.query["per_page"]?.intValue ?? Paging.preset
        let (found, total) = try await grants.list(
            filter, in: call.tenant, skip: Paging.skipped(page, perPage), limit: perPage)
        return .list(Listing("grants", found.map(LoginShapes.json), call.paging, total: total))
    }
}
