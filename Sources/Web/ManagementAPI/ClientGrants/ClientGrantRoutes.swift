import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

/// `/client-grants`: access of clients to APIs.
struct ClientGrantRoutes: Sendable {
    private static let group = RouteGroup("Client grants", scopes: "client_grants")

    let grants: ManageClientGrants

    var all: [ManagementRoute] {
        let shown = Operation.Answer(200, "The grant", ClientGrantShapes.grant, example: ClientGrantShapes.example)
        return [
            ManagementRoute(
                .get, "/client-grants", "list_client_grants", "List client grants", in: Self.group,
                parameters: [
                    Operation.Parameter("audience", in: .query, .text(1...600), "Only grants of this API"),
                    Operation.Parameter("client_id", in: .query, .text(1...128), "Only grants of this client"),
                    Operation.Parameter(
                        "subject_type", in: .query, .choice(ClientGrant.Subject.allCases.map(\.rawValue)),
                        "Only grants for clients themselves, or in users' names"),
                    Operation.Parameter("allow_any_organization", in: .query, .boolean, "As stored with the grant"),
                    Operation.Parameter("default_for", in: .query, .text(1...64), "As stored with the grant"),
                ] + Paging.parameters,
                answer: Operation.Answer(
                    200, "The grants", Listing.shape("client_grants", of: ClientGrantShapes.grant)), list),
            ManagementRoute(
                .post, "/client-grants", "create_client_grant", "Grant a client access to an API", in: Self.group,
                body: Operation.Body(ClientGrantShapes.create, example: ClientGrantShapes.createExample),
                answer: Operation.Answer(201, "The grant", ClientGrantShapes.grant, example: ClientGrantShapes.example),
                refusals: [(404, "There is no such client"), (409, "The client has such a grant")]
            ) { call in
                json(
                    try await grants.create(call.document, of: call.configuration.tenant, for: call.context), call,
                    status: 201)
            },
            ManagementRoute(
                .get, "/client-grants/{id}", "get_client_grant", "Show a grant", in: Self.group, answer: shown
            ) { call in json(try await grants.grant(call.id(), of: call.tenant), call) },
            ManagementRoute(
                .patch, "/client-grants/{id}", "update_client_grant", "Change a grant", in: Self.group,
                body: Operation.Body(ClientGrantShapes.update, example: ["scope": ["pay:read"]]), answer: shown
            ) { call in
                json(
                    try await grants.update(call.id(), call.document, of: call.configuration.tenant, for: call.context),
                    call
                )
            },
            ManagementRoute(
                .delete, "/client-grants/{id}", "delete_client_grant", "Delete a grant", in: Self.group,
                answer: Operation.Answer(204, "Done")
            ) { call in
                try await removing(.clientGrant) { try await grants.remove(call.id(), for: call.context) }
            },
        ]
    }

    private func json(
        _ entry: ManageClientGrants.Entry, _ call: ManagementCall, status: Int = 200
    ) -> ManagementAnswer {
        .object(ClientGrantShapes.json(entry), status: status)
    }

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        let audience = call.query["audience"]?.stringValue
        let client = call.query["client_id"]?.stringValue
        let subject = call.query["subject_type"]?.stringValue.flatMap(ClientGrant.Subject.init(rawValue:))
        let stored = ["allow_any_organization", "default_for"].filter { call.query[$0] != nil }
        let found = try await grants.list(call.tenant).filter { entry in
            (audience ?? entry.grant.audience) == entry.grant.audience
                && (client ?? entry.client.rawValue) == entry.client.rawValue
                && (subject.map(entry.grant.covers) ?? true)
                && stored.allSatisfy { entry.grant.additional[$0] == call.query[$0] }
        }
        return .list(Listing("client_grants", of: found, call.paging, key: \.id, ClientGrantShapes.json))
    }
}

enum ClientGrantShapes {
    private static let clientID = Member.required("client_id", .text(1...128)).protecting(.nothing)

    static let create = Shape.object([clientID] + ClientGrant.fields.members(.create), isOpen: true)
        .taking(withoutEffect: Auth0Members.clientGrants.all)
    static let update = Shape.object(
        [clientID.optional] + ClientGrant.fields.members(.update).filter { $0.name != "subject_type" }, isOpen: true
    ).taking(withoutEffect: Auth0Members.clientGrants.all)
    static let grant = Shape.object(
        [.required("id", .text(), "cgr_ and 16 letters and digits"), clientID] + ClientGrant.fields.members(.whole)
            + [Member(ClientGrant.inertMember, .list(.text()), "Scopes without effect")],
        isOpen: true)

    static let createExample: JSONValue = [
        "client_id": "mfrggzdfmztwq2lknnwg23tpobyxe43u", "audience": "https://pay.example.com/", "scope": ["pay:send"],
    ]

    static let example: JSONValue = [
        "id": "cgr_sW4J0OcmNTTqGIrX", "client_id": "mfrggzdfmztwq2lknnwg23tpobyxe43u",
        "audience": "https://pay.example.com/", "scope": ["pay:send"], "subject_type": "client",
    ]

    static func json(_ entry: ManageClientGrants.Entry) -> JSONObject {
        var json: JSONObject = ["id": .string(entry.id), "client_id": .string(entry.client.rawValue)]
        if entry.grant.scopes == nil { json["allow_all_scopes"] = true }
        // With scopes without effect, or a program that compares would resend them forever.
        json["scope"] = entry.grant.namedScopes.map { JSONValue($0.sorted()) }
        return json.completed(with: entry.grant.flatDocument).completed(with: ["scope": []])
    }
}
