import APIDescription
import Administration
import AuthorizationCore
import HTTPModel
import JSONSchema
import Primitives

/// `/resource-servers`: the APIs that accept tokens. The id in a path may also be the percent-encoded identifier.
struct ResourceServerRoutes: Sendable {
    private static let group = RouteGroup("Resource servers", scopes: "resource_servers")

    let apis: ManageResourceServers
    let ports: ManagementAPI.Ports

    var all: [ManagementRoute] {
        let shown = Operation.Answer(
            200, "The API", ResourceServerShapes.resourceServer, example: ResourceServerShapes.example)
        return [
            ManagementRoute(
                .get, "/resource-servers", "list_resource_servers", "List APIs", in: Self.group,
                parameters: [
                    Operation.Parameter(
                        "identifiers", in: .query, .list(.text(1...600), 1...10), "Only APIs with these identifiers")
                ] + Paging.parameters + Projection.parameters,
                answer: Operation.Answer(
                    200, "The APIs", Listing.shape("resource_servers", of: ResourceServerShapes.resourceServer)), list),
            ManagementRoute(
                .post, "/resource-servers", "create_resource_server", "Create an API", in: Self.group,
                body: Operation.Body(ResourceServerShapes.create, example: ResourceServerShapes.createExample),
                answer: Operation.Answer(
                    201, "The API", ResourceServerShapes.resourceServer, example: ResourceServerShapes.example),
                refusals: [(409, "Another API has that identifier")], create),
            ManagementRoute(
                .get, "/resource-servers/{id}", "get_resource_server", "Show an API", in: Self.group,
                parameters: Projection.parameters, answer: shown
            ) { call in
                json(try await apis.resourceServer(call.id(), of: call.configuration.tenant), call)
            },
            ManagementRoute(
                .patch, "/resource-servers/{id}", "update_resource_server", "Change an API", in: Self.group,
                body: Operation.Body(
                    ResourceServerShapes.update,
                    example: ["authorization_details": [["type": "payment"]], "consent_policy": "standard"]),
                answer: shown
            ) { call in
                json(
                    try await apis.update(call.id(), call.document, of: call.configuration.tenant, for: call.context),
                    call)
            },
            ManagementRoute(
                .delete, "/resource-servers/{id}", "delete_resource_server",
                "Remove an API, also from clients, roles and users; with demands, this needs the scopes to drop them, too",
                in: Self.group, answer: Operation.Answer(204, "Done")
            ) { call in
                try await removing(.resourceServer) {
                    ports.notify(of: try await apis.remove(call.id(), of: call.configuration.tenant, for: call.context))
                }
            },
        ]
    }

    private func json(_ api: ResourceServer, _ call: ManagementCall, status: Int = 200) -> ManagementAnswer {
        .object(ResourceServerShapes.json(api, id: apis.id(of: api, in: call.tenant)), status: status)
    }

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        let found = try await apis.list(call.configuration.tenant, identifiers: call.query["identifiers"]?.stringsValue)
        return .list(
            Listing("resource_servers", of: found, call.paging, key: \.identifier) {
                ResourceServerShapes.json($0, id: apis.id(of: $0, in: call.tenant))
            })
    }

    @Sendable private func create(_ call: ManagementCall) async throws -> ManagementAnswer {
        json(try await apis.create(call.document, of: call.configuration.tenant, for: call.context), call, status: 201)
    }
}
