import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

/// `/connections`: databases and providers that authenticate users. Provider secrets are accepted and never shown.
struct ConnectionRoutes: Sendable {
    private static let group = RouteGroup("Connections", scopes: "connections")

    let connections: ManageConnections
    let ports: ManagementAPI.Ports

    var all: [ManagementRoute] {
        let shown = Operation.Answer(
            200, "The connection", ConnectionShapes.connection, example: ConnectionShapes.example)
        let strategy = Operation.Parameter(
            "strategy", in: .query, .list(.text(1...64), 1...10), "Only connections of these kinds")
        return [
            ManagementRoute(
                .get, "/connections", "list_connections", "List connections", in: Self.group,
                parameters: [
                    strategy,
                    Operation.Parameter("name", in: .query, .text(1...128), "Only the connection of this name"),
                ] + Paging.parameters + Projection.parameters,
                answer: Operation.Answer(
                    200, "The connections", Listing.shape("connections", of: ConnectionShapes.connection)), list),
            ManagementRoute(
                .get, "/clients/{id}/connections", "list_client_connections", "List the connections of a client",
                in: Self.group, parameters: [strategy] + Paging.checkpointParameters + Projection.parameters,
                answer: Operation.Answer(
                    200, "The connections",
                    .object([.required("connections", .list(ConnectionShapes.connection)), Member("next", .text())])),
                listOfClient),
            ManagementRoute(
                .post, "/connections", "create_connection", "Create a connection", in: Self.group,
                body: Operation.Body(ConnectionShapes.create, example: ConnectionShapes.createExample),
                answer: Operation.Answer(
                    201, "The connection", ConnectionShapes.connection, example: ConnectionShapes.example),
                refusals: [(409, "Another connection has that name")]
            ) { call in
                try await json(connections.create(call.document, for: call.context), call, status: 201)
            },
            ManagementRoute(
                .get, "/connections/{id}", "get_connection", "Show a connection", in: Self.group,
                parameters: Projection.parameters, answer: shown
            ) { call in try await json(connections.connection(call.id(), of: call.tenant), call) },
            ManagementRoute(
                .patch, "/connections/{id}", "update_connection",
                "Change a connection; options are replaced as a whole, except an omitted secret", in: Self.group,
                body: Operation.Body(ConnectionShapes.update, example: ["display_name": "Our people"]), answer: shown
            ) { call in try await json(connections.update(call.id(), call.document, for: call.context), call) },
            ManagementRoute(
                .delete, "/connections/{id}", "delete_connection", "Remove a connection; its users stay",
                in: Self.group,
                answer: Operation.Answer(
                    202, "Time of the removal", .object([.required("deleted_at", .date)]),
                    example: ["deleted_at": "2026-01-31T12:00:00.000Z"])
            ) { call in
                try await removing(.connection) { try await connections.remove(call.id(), for: call.context) }
                return .value(["deleted_at": .string(call.now.iso8601)], status: 202)
            },
        ] + partRoutes
    }

    /// A connection's clients and users.
    private var partRoutes: [ManagementRoute] {
        [
            ManagementRoute(
                .get, "/connections/{id}/clients", "list_connection_clients", "List the clients of a connection",
                in: Self.group, parameters: Paging.checkpointParameters,
                answer: Operation.Answer(
                    200, "The clients",
                    .object([
                        .required("clients", .list(.object([.required("client_id", .text())]))),
                        Member("next", .text()),
                    ]), example: ["clients": [["client_id": "mfrggzdfmztwq2lknnwg23tpobyxe43u"]]]), listClients),
            ManagementRoute(
                .patch, "/connections/{id}/clients", "update_connection_clients",
                "Enable or disable clients for a connection", in: Self.group,
                body: Operation.Body(
                    .list(
                        .object([
                            Member.required("client_id", .text(1...128)).protecting(.nothing),
                            Member.required("status", .boolean).protecting(.nothing),
                        ]), 1...50), example: [["client_id": "mfrggzdfmztwq2lknnwg23tpobyxe43u", "status": true]]),
                answer: Operation.Answer(204, "Done"), updateClients),
            ManagementRoute(
                .delete, "/connections/{id}/users", "delete_connection_user",
                "Remove a connection's user by e-mail address; with kept decisions, this needs `update:approval_evidence`, too",
                in: Self.group, scopes: [["delete:users"]],
                parameters: [
                    Operation.Parameter("email", in: .query, .text(3...254), "The user's address", isRequired: true)
                ], answer: Operation.Answer(204, "Done, also if there was none")
            ) { call -> Void in
                // A text that is no address names nobody.
                if let email = EmailAddress(parsing: try call.required("email")) {
                    ports.notify(
                        of: try await connections.removeUser(email: email, from: call.id(), for: call.context))
                }
            },
        ]
    }

    private func json(
        _ connection: LoginConnection, _ call: ManagementCall, status: Int = 200
    ) async throws -> ManagementAnswer {
        .object(describe(connection, call), status: status)
    }

    private func describe(_ connection: LoginConnection, _ call: ManagementCall) -> JSONObject {
        ConnectionShapes.json(
            connection, id: connections.id(of: connection, in: call.tenant),
            clients: call.configuration.clients.map(\.id))
    }

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        let strategies = call.query["strategy"]?.stringsValue
        let name = call.query["name"]?.stringValue
        let found = try await connections.list(call.tenant).map { describe($0, call) }.filter { connection in
            (strategies.map { $0.contains(connection["strategy"]?.stringValue ?? "") } ?? true)
                && (name == nil || connection["name"]?.stringValue == name)
        }
        return .list(Listing("connections", of: found, call.paging, key: { $0["name"]?.stringValue ?? "" }) { $0 })
    }

    @Sendable private func listOfClient(_ call: ManagementCall) async throws -> ManagementAnswer {
        let client = ClientID(call.id())
        guard call.configuration.client(client) != nil else { throw AdministrationFailure.unknown(.client) }
        let strategies = call.query["strategy"]?.stringsValue
        let found = try await connections.list(call.tenant).filter { $0.isEnabled(for: client) }
            .map { describe($0, call) }
            .filter { strategies?.contains($0["strategy"]?.stringValue ?? "") ?? true }
        return .list(Listing("connections", of: found, call.checkpoint, key: { $0["name"]?.stringValue ?? "" }) { $0 })
    }

    @Sendable private func listClients(_ call: ManagementCall) async throws -> ManagementAnswer {
        let found = try await connections.clients(of: call.id(), in: call.tenant)
        return .list(
            Listing("clients", of: found, call.checkpoint, key: \.rawValue) { ["client_id": .string($0.rawValue)] })
    }

    @Sendable private func updateClients(_ call: ManagementCall) async throws {
        var clients: [ClientID: Bool] = [:]
        for entry in call.body.arrayValue ?? [] {
            clients[ClientID(entry["client_id"]?.stringValue ?? "")] = entry["status"]?.boolValue ?? false
        }
        try await connections.update(call.id(), clients: clients, for: call.context)
    }
}

/// Wire format of connections.
enum ConnectionShapes {
    static let create = Shape.object(LoginConnection.fields.members(.create), isOpen: true)
        .taking(withoutEffect: Auth0Members.connections.all)
    static let update = Shape.object(LoginConnection.fields.members(.update), isOpen: true)
        .taking(withoutEffect: Auth0Members.connections.all)
    static let connection = Shape.object(
        [.required("id", .text(), "con_ and 16 letters and digits"), Member("realms", .list(.text()))]
            + LoginConnection.fields.members(.whole), isOpen: true)

    static let createExample: JSONValue = [
        "name": "staff", "strategy": "oidc",
        "options": [
            "issuer": "https://id.example.com/", "client_id": "countersign",
            "client_secret": "a secret that the provider gave",
        ],
        "enabled_clients": ["mfrggzdfmztwq2lknnwg23tpobyxe43u"],
    ]

    static let example: JSONValue = [
        "id": "con_sW4J0OcmNTTqGIrX", "name": "staff", "display_name": "staff", "strategy": "oidc",
        "options": ["issuer": "https://id.example.com/", "client_id": "countersign", "scope": "openid profile email"],
        "enabled_clients": ["mfrggzdfmztwq2lknnwg23tpobyxe43u"], "realms": ["staff"],
    ]

    /// `clients` are all clients of the tenant.
    static func json(_ connection: LoginConnection, id: String, clients: [ClientID]) -> JSONObject {
        let enabled = connection.enabledClients.map(Array.init) ?? clients
        let json: JSONObject = ["id": .string(id), "enabled_clients": JSONValue(enabled.map(\.rawValue).sorted())]
        return json.completed(with: connection.flatDocument)
            .completed(with: ["realms": [.string(connection.name)], "is_domain_connection": false])
    }
}
