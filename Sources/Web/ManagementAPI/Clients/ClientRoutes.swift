import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives
import SearchQuery

/// `/clients`: the applications. A secret is shown once, in the answer to its creation, because only its hash is
/// stored. `read:client_keys` therefore shows none.
struct ClientRoutes: Sendable {
    private static let group = RouteGroup("Clients", scopes: "clients")
    private static let reading = [
        ["read:clients"], ["read:client_keys"], ["read:client_credentials"], ["read:client_summary"],
    ]

    let clients: ManageClients

    var all: [ManagementRoute] {
        let shown = Operation.Answer(200, "The client", ClientShapes.client, example: ClientShapes.example)
        return [
            ManagementRoute(
                .get, "/clients", "list_clients", "List clients", in: Self.group, scopes: Self.reading,
                parameters: [
                    Operation.Parameter(
                        "is_first_party", in: .query, .boolean, "Only clients of the operator, or only others"),
                    Operation.Parameter("is_global", in: .query, .boolean, "True finds none: no client is global"),
                    Operation.Parameter(
                        "app_type", in: .query, .list(.text(1...64), 1...10), "Only clients of these types"),
                    Operation.Parameter("external_client_id", in: .query, .text(1...1024), "The client with this name"),
                    Operation.Parameter("q", in: .query, .text(0...QuerySyntax.lengthLimit), ClientShapes.queryDetails),
                ] + Paging.parameters + Projection.parameters,
                answer: Operation.Answer(200, "The clients", Listing.shape("clients", of: ClientShapes.client)), list),
            ManagementRoute(
                .post, "/clients", "create_client", "Create a client", in: Self.group,
                body: Operation.Body(ClientShapes.create, example: ClientShapes.createExample),
                answer: Operation.Answer(
                    201, "The client with its secret, which is shown only once", ClientShapes.client,
                    example: ClientShapes.example)
            ) { call in
                json(try await clients.create(call.document, for: call.context), call, status: 201)
            },
            ManagementRoute(
                .get, "/clients/{id}", "get_client", "Show a client", in: Self.group, scopes: Self.reading,
                parameters: Projection.parameters, answer: shown
            ) { call in .object(view(try await clients.client(ClientID(call.id()), of: call.tenant), call)) },
            ManagementRoute(
                .patch, "/clients/{id}", "update_client", "Change a client", in: Self.group,
                body: Operation.Body(ClientShapes.update, example: ClientShapes.updateExample), answer: shown
            ) { call in
                json(try await clients.update(ClientID(call.id()), call.document, for: call.context), call)
            },
            ManagementRoute(
                .delete, "/clients/{id}", "delete_client",
                "Delete a client with its refresh tokens and users' consents", in: Self.group,
                answer: Operation.Answer(204, "Done")
            ) { call in
                try await removing(.client) { try await clients.remove(ClientID(call.id()), for: call.context) }
            },
            ManagementRoute(
                .post, "/clients/{id}/rotate-secret", "rotate_client_secret",
                "Replace a client's secret; the old one stops working", in: Self.group,
                scopes: [["update:client_keys"]],
                answer: Operation.Answer(
                    200, "The client with its new secret, which is shown only once", ClientShapes.client,
                    example: ClientShapes.example)
            ) { call in json(try await clients.rotateSecret(of: ClientID(call.id()), for: call.context), call) },
        ]
    }

    private func json(_ made: ManageClients.WithSecret, _ call: ManagementCall, status: Int = 200) -> ManagementAnswer {
        .object(ClientShapes.json(made.client, secret: made.secret, call.configuration.tenant), status: status)
    }

    /// Full document of a client, or its summary if the token's scopes permit no more.
    private func view(_ client: Client, _ call: ManagementCall) -> JSONObject {
        let json = ClientShapes.json(client, call.configuration.tenant)
        let isSummary = call.scopes.isDisjoint(with: ["read:clients", "read:client_keys", "read:client_credentials"])
        return isSummary ? ClientShapes.summary(of: json) : json
    }

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        let types = call.query["app_type"]?.stringsValue
        let isFirstParty = call.query["is_first_party"]?.boolValue
        let externalID = call.query["external_client_id"]
        let query = try Self.query(call)
        let found = try await clients.list(call.tenant).filter { client in
            (types.map { $0.contains(client.applicationType ?? "") } ?? true)
                && (isFirstParty ?? client.isFirstParty) == client.isFirstParty
                && call.query["is_global"] != true
                && (externalID == nil || client.additional["external_client_id"] == externalID)
                && query.matches(searched(client, call))
        }
        return .list(Listing("clients", of: found, call.paging, key: \.id.rawValue) { view($0, call) })
    }

    /// Members that the caller may search, with grants if the document is full.
    private func searched(_ client: Client, _ call: ManagementCall) -> JSONObject {
        let json = view(client, call)
        guard json["grant_types"] != nil else { return json }
        return json.completed(with: [ClientShapes.grants: ClientShapes.grants(of: client)])
    }

    private static func query(_ call: ManagementCall) throws(ManagementFailure) -> DocumentQuery {
        do {
            return try DocumentQuery(
                parsing: call.query["q"]?.stringValue ?? "", fields: ClientShapes.searched,
                texts: ["client_id", "name", "description"])
        } catch {
            throw .invalidQuery("\(error)", at: "q")
        }
    }
}
