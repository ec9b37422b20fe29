import AuthorizationCore
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import TestTools
import Testing

@Suite("Management API: credentials of clients")
struct ClientCredentialTests {
    private static let pair: JSONValue = [.string(GrantType.ciba.rawValue)]

    private func client(_ fixture: ManagementFixture, _ members: JSONObject = [:]) async throws -> String {
        var body: JSONObject = ["name": "Agent", "grant_types": Self.pair]
        for (name, value) in members { body[name] = value }
        let answer = await fixture.post("/clients", .object(body))
        return try (answer["client_id"]?.stringValue).orThrow(answer.text)
    }

    private func key(of client: String) throws -> JSONValue { try Samples.clientSigner(client).publicKey.json }

    /// Error code of the token endpoint for an assertion that is valid if its key is in use.
    private func error(_ client: String, _ identifier: String, _ fixture: ManagementFixture) async throws -> String? {
        var parameters = Samples.proof(try Samples.assertion(client, identifier: identifier))
        parameters["grant_type"] = GrantType.ciba.rawValue
        parameters["auth_req_id"] = "unknown"
        return await fixture.server.send(.form("/oauth/token", parameters)).code
    }

    @Test("a key is in use only while the client names it and until it expires")
    func life() async throws {
        let fixture = try await ManagementFixture()
        let client = try await client(fixture)
        let path = "/clients/\(client)/credentials"
        let made = await fixture.post(
            path, ["credential_type": "public_key", "name": "May", "alg": "ES256", "jwk": try key(of: client)])
        #expect(made.status == 201, "\(made.text)")
        let id = try (made["id"]?.stringValue).orThrow("no id")
        #expect(id.hasPrefix("cred_") && id.count == 27)
        #expect(made["alg"] == "ES256")
        #expect(made["kid"] != nil)
        let twice = await fixture.post(
            path, ["credential_type": "public_key", "alg": "ES256", "jwk": try key(of: client)])
        #expect(twice.code == "credential_conflict", "\(twice.text)")
        let late = await fixture.post(
            path,
            [
                "credential_type": "public_key", "jwk": try key(of: "other"), "expires_at": "2001-01-01T00:00:00.000Z",
            ])
        #expect(late.code == "invalid_body" && late.message.contains("expires_at"), "\(late.text)")
        #expect(await fixture.get(path).json == [made.json])
        #expect(await fixture.get("\(path)/\(id)").json == made.json)
        #expect(try await error(client, "1", fixture) == "invalid_client")

        let named: JSONValue = ["private_key_jwt": ["credentials": [["id": .string(id)]]]]
        let changed = await fixture.patch(
            "/clients/\(client)", ["client_authentication_methods": named, "token_endpoint_auth_method": nil])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed["client_authentication_methods"] == named)
        #expect(changed["token_endpoint_auth_method"] == nil)
        #expect(try await error(client, "2", fixture) == "invalid_grant")
        #expect(await fixture.patch("/clients/\(client)", ["name": "Same"])["client_authentication_methods"] == named)
        #expect(try await error(client, "3", fixture) == "invalid_grant")
        #expect(await fixture.delete("\(path)/\(id)").code == "operation_not_supported")

        let ended = await fixture.patch("\(path)/\(id)", ["expires_at": "2001-01-01T00:00:00.000Z"])
        #expect(ended["expires_at"] == "2001-01-01T00:00:00.000Z", "\(ended.text)")
        #expect(try await error(client, "4", fixture) == "invalid_client")

        let secret = await fixture.patch("/clients/\(client)", ["token_endpoint_auth_method": "client_secret_post"])
        #expect(secret["client_secret"]?.stringValue?.count == 64, "\(secret.text)")
        #expect(secret["client_authentication_methods"] == nil)
        #expect(await fixture.get(path).json.arrayValue?.count == 1)
        #expect(await fixture.delete("\(path)/\(id)").status == 204)
        #expect(await fixture.get("\(path)/\(id)").code == "inexistent_credential")
    }

    @Test("a client is created with an inline key")
    func inline() async throws {
        let fixture = try await ManagementFixture()
        let key = try Samples.clientSigner("inline").publicKey.json
        let answer = await fixture.post(
            "/clients",
            [
                "name": "Agent", "grant_types": Self.pair,
                "client_authentication_methods": [
                    "private_key_jwt": [
                        "credentials": [["credential_type": "public_key", "name": "first", "jwk": key]]
                    ]
                ],
            ])
        #expect(answer.status == 201, "\(answer.text)")
        #expect(answer["client_secret"] == nil)
        let id = try (answer["client_id"]?.stringValue).orThrow("no id")
        #expect(await fixture.get("/clients/\(id)/credentials").json[0]?["name"] == "first")
    }

    private static let wrong: [(body: JSONObject, property: String)] = [
        (["credential_type": "password"], "credential_type"), (["credential_type": "public_key"], "jwk"),
        (["credential_type": "public_key", "pem": "nothing"], "pem"),
        (["credential_type": "x509_cert", "pem": "nothing"], "pem"),
        (["credential_type": "cert_subject_dn", "subject_dn": "nobody"], "subject_dn"),
        (["credential_type": "public_key", "alg": "HS256"], "alg"),
        (["credential_type": "public_key", "parse_expiry_from_cert": true], "parse_expiry_from_cert"),
    ]

    @Test("an invalid credential is refused with the property", arguments: wrong)
    func invalid(body: JSONObject, property: String) async throws {
        let fixture = try await ManagementFixture()
        let answer = await fixture.post("/clients/agent/credentials", .object(body))
        #expect(answer.status == 400)
        #expect(answer.message.contains(property), "\(answer.message)")
    }

    @Test("a certificate's expiry is taken over, and a subject keeps its spelling")
    func certificates() async throws {
        let fixture = try await ManagementFixture()
        let identity = try TestAuthority().identity()
        let made = await fixture.post(
            "/clients/agent/credentials",
            ["credential_type": "x509_cert", "pem": .string(identity.pem), "parse_expiry_from_cert": true])
        #expect(made["expires_at"]?.stringValue?.hasSuffix("Z") == true, "\(made.text)")
        let named = await fixture.post(
            "/clients/agent/credentials", ["credential_type": "cert_subject_dn", "subject_dn": "CN=agent,C=CH"])
        #expect(named["subject_dn"] == "CN=agent,C=CH", "\(named.text)")
        #expect(await fixture.get("/clients/nobody/credentials").code == "inexistent_client")
        let unknown: JSONValue = ["tls_client_auth": ["credentials": [["id": "cred_unknown"]]]]
        #expect(await fixture.patch("/clients/agent", ["client_authentication_methods": unknown]).status == 400)
    }
}
