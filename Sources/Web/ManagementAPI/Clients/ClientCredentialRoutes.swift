import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

/// `/clients/{id}/credentials`: public keys and certificates that authenticate clients.
struct ClientCredentialRoutes: Sendable {
    private static let group = RouteGroup("Clients", scopes: "client_credentials")
    private static let path = "/clients/{client_id}/credentials"

    let credentials: ManageClientCredentials

    var all: [ManagementRoute] {
        let shape = ClientCredentialShapes.credential
        let example = ClientCredentialShapes.example
        return [
            ManagementRoute(
                .get, Self.path, "list_client_credentials", "List a client's credentials", in: Self.group,
                answer: Operation.Answer(200, "The credentials", .list(shape), example: [example])
            ) { call in
                let found = try await credentials.list(of: ClientID(call.id("client_id")), in: call.tenant)
                return .value(.array(found.map { .object(ClientCredentialShapes.json($0)) }))
            },
            ManagementRoute(
                .post, Self.path, "create_client_credential",
                "Register a key or certificate, for use in client_authentication_methods", in: Self.group,
                body: Operation.Body(ClientCredentialShapes.create, example: ClientCredentialShapes.createExample),
                answer: Operation.Answer(201, "The credential", shape, example: example)
            ) { call in
                let made = try await credentials.create(
                    call.document, for: ClientID(call.id("client_id")), on: call.context)
                return .object(ClientCredentialShapes.json(made), status: 201)
            },
            ManagementRoute(
                .get, Self.path + "/{id}", "get_client_credential", "Show a credential", in: Self.group,
                answer: Operation.Answer(200, "The credential", shape, example: example)
            ) { call in
                .object(
                    ClientCredentialShapes.json(
                        try await credentials.credential(
                            ClientCredentialID(call.id()), of: ClientID(call.id("client_id")), in: call.tenant)))
            },
            ManagementRoute(
                .patch, Self.path + "/{id}", "update_client_credential", "Change a credential's expiry", in: Self.group,
                body: Operation.Body(
                    .object([
                        Member.required("expires_at", FieldType<Timestamp>.moment.shape.orNull, "Null means no expiry")
                            .protecting(.identity)
                    ]), example: ["expires_at": "2027-01-31T12:00:00.000Z"]),
                answer: Operation.Answer(200, "The credential", shape, example: example), update),
            ManagementRoute(
                .delete, Self.path + "/{id}", "delete_client_credential",
                "Remove a credential that client_authentication_methods does not name", in: Self.group,
                answer: Operation.Answer(204, "Done")
            ) { call in
                try await removing(.credential) {
                    try await credentials.remove(
                        ClientCredentialID(call.id()), of: ClientID(call.id("client_id")), for: call.context)
                }
            },
        ]
    }

    @Sendable private func update(_ call: ManagementCall) async throws -> ManagementAnswer {
        let updated = try await credentials.update(
            ClientCredentialID(call.id()), expiresAt: call.member("expires_at", .moment),
            of: ClientID(call.id("client_id")), for: call.context)
        return .object(ClientCredentialShapes.json(updated))
    }
}
