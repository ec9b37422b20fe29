import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Management API: no token grants or gains more than its scopes")
struct ElevationTests {
    private static let chosen = JSONValue.string(String(repeating: "s", count: 40))

    private static let proofs: [JSONObject] = [
        ["client_secret": chosen], ["token_endpoint_auth_method": "none"], ["token_endpoint_auth_method": nil],
        ["client_authentication_methods": ["private_key_jwt": ["credentials": []]]], ["jwks": ["keys": []]],
        ["jwks": nil], ["jwks_uri": "https://evil.example/keys"],
        ["tls_client_certificate_bound_access_tokens": false],
        ["mobile": ["ios": ["team_id": "EVIL123456", "app_bundle_identifier": "com.evil.app"]]], ["mobile": nil],
    ]

    @Test("update:clients changes no client's credentials", arguments: proofs)
    func takeover(body: JSONObject) async throws {
        let fixture = try await ManagementFixture()
        let before = try await fixture.server.dump()
        let poor = try await fixture.with(scopes: ["create:clients", "update:clients"])
        for client in ["agent", "operator"] {
            let answer = await poor.patch("/clients/\(client)", .object(body))
            #expect(answer.status == 403 && answer.code == "insufficient_scope", "\(client) \(body): \(answer.text)")
        }
        #expect(try await fixture.server.dump() == before)
        #expect(await poor.patch("/clients/agent", ["name": "Same"]).status == 200)
        let keys = try await fixture.with(scopes: ["update:clients", "update:client_keys"])
        #expect(await keys.patch("/clients/agent", ["client_secret": Self.chosen]).status == 200)
    }

    @Test("An app that opens links of the tenant's host requires update:client_keys, also for a new client")
    func apps() async throws {
        let fixture = try await ManagementFixture()
        let body: JSONValue = [
            "name": "App", "mobile": ["ios": ["team_id": "ABCDE12345", "app_bundle_identifier": "com.example.shop"]],
        ]
        let poor = try await fixture.with(scopes: ["create:clients", "update:clients"])
        let refused = await poor.post("/clients", body)
        #expect(refused.status == 403 && refused.code == "insufficient_scope", "\(refused.text)")
        let made = await (try await fixture.with(scopes: ["create:clients", "update:client_keys"])).post(
            "/clients", body)
        #expect(made.status == 201, "\(made.text)")
    }

    @Test("A token cannot change the credentials of a client that may do more than the token")
    func keys() async throws {
        let fixture = try await ManagementFixture()
        let scopes = [
            "update:clients", "update:client_keys", "create:client_credentials", "update:client_credentials",
            "create:client_grants",
        ]
        let keys = try await fixture.with(scopes: scopes)
        let key = try Samples.clientSigner("evil").publicKey.json
        let made = await keys.post("/clients/operator/credentials", ["credential_type": "public_key", "jwk": key])
        #expect(made.status == 201, "it counts for nothing yet: \(made.text)")
        let named: JSONValue = ["private_key_jwt": ["credentials": [["id": made["id"] ?? .null]]]]
        let before = try await fixture.server.dump()
        for answer in [
            await keys.post("/clients/operator/rotate-secret", [:]),
            await keys.patch("/clients/operator", ["client_secret": Self.chosen]),
            await keys.patch("/clients/operator", ["client_authentication_methods": named]),
            await keys.patch("/clients/operator", ["token_endpoint_auth_method": "client_secret_basic"]),
        ] {
            #expect(answer.status == 403 && answer.code == "insufficient_scope", "\(answer.text)")
            #expect(answer.message.contains("read:users"), "\(answer.message)")
        }
        #expect(try await fixture.server.dump() == before)
        #expect(await keys.patch("/clients/operator", ["name": "Another name"]).status == 200)
        #expect(await keys.post("/clients/agent/rotate-secret", [:]).status == 200, "it manages nothing")
        let grant: JSONValue = [
            "client_id": "agent", "audience": .string(ManagementFixture.audience), "scope": ["update:clients"],
        ]
        #expect(await keys.post("/client-grants", grant).status == 201)
        #expect(await keys.post("/clients/agent/rotate-secret", [:]).status == 200, "no more than the token may do")
        #expect(await fixture.post("/clients/operator/rotate-secret", [:]).status == 200)
    }

    @Test("Only a token that has a scope of this API grants it; any token revokes it")
    func grants() async throws {
        let fixture = try await ManagementFixture { setup in
            setup.clients.append(Samples.client("machine") { $0.grantTypes = [.clientCredentials] })
        }
        let poor = try await fixture.with(scopes: ["create:client_grants", "update:client_grants", "read:users"])
        func create(_ members: JSONObject, _ fixture: ManagementFixture) async -> HTTPAnswer {
            let body: JSONObject = ["client_id": "machine", "audience": .string(ManagementFixture.audience)]
            return await fixture.post("/client-grants", .object(body.patched(with: members)))
        }
        for members: JSONObject in [
            ["scope": ["read:users", "update:clients"]], ["allow_all_scopes": true],
            ["scope": ["delete:users"], "subject_type": "user"],
        ] {
            let refused = await create(members, poor)
            #expect(refused.status == 403 && refused.code == "insufficient_scope", "\(members): \(refused.text)")
        }
        let own = await create(["scope": ["read:users", "read:actions"]], poor)
        #expect(own.status == 201, "\(own.text)")
        let path = "/client-grants/\(try (own["id"]?.stringValue).orThrow("no id"))"
        #expect(await poor.patch(path, ["scope": ["read:users", "read:logs"]]).code == "insufficient_scope")
        #expect(await poor.patch(path, ["allow_all_scopes": true]).code == "insufficient_scope")
        #expect(await fixture.patch(path, ["scope": ["read:users", "read:logs", "read:roles"]]).status == 200)
        #expect(await poor.patch(path, ["scope": ["read:users", "read:logs"]]).status == 200, "less is anybody's")
        #expect(await poor.patch(path, ["scope": ["read:users", "read:roles"]]).code == "insufficient_scope")
        let other: JSONObject = ["audience": .string(Samples.api), "scope": ["pay:read"]]
        #expect(await create(other, poor).status == 201, "other APIs' scopes are no rights here")
    }

    @Test("Tenant settings that /guardian also has require its scopes")
    func settings() async throws {
        let fixture = try await ManagementFixture()
        let poor = try await fixture.with(scopes: ["update:tenant_settings"])
        for body: JSONValue in [["multi_factor": "never"], ["push_enabled": false], ["multi_factor": nil]] {
            #expect(await poor.patch("/tenants/settings", body).code == "insufficient_scope")
        }
        #expect(await poor.patch("/tenants/settings", ["friendly_name": "Bank"]).status == 200)
    }

    @Test("No read operation shows a secret, even to a token with all scopes")
    func reading() async throws {
        let fixture = try await ManagementFixture()
        let secret = "a-secret-that-nobody-is-shown-\(String(repeating: "z", count: 20))"
        let client = await fixture.post("/clients", ["name": "A", "client_secret": .string(secret)])
        #expect(client.status == 201, "\(client.text)")
        let bodies: [(String, JSONValue)] = [
            (
                "/connections",
                [
                    "name": "staff", "strategy": "oidc",
                    "options": [
                        "issuer": "https://id.example/", "client_id": "us", "client_secret": .string(secret),
                    ],
                ]
            ), ("/emails/provider", ["name": "resend", "credentials": ["api_key": .string(secret)]]),
        ]
        for (path, body) in bodies { #expect(await fixture.post(path, body).status == 201, "\(path)") }
        let push = "/guardian/factors/push-notification/providers/fcm"
        #expect(await fixture.put(push, ["server_key": .string(secret)]).status == 200)
        let id = client["client_id"]?.stringValue ?? ""
        for path in [
            "/clients", "/clients/\(id)", "/clients/\(id)/credentials", "/connections", "/emails/provider", push,
            "/tenants/settings", "/logs", "/keys/signing",
        ] {
            let answer = await fixture.get(path)
            #expect(answer.status == 200, "\(path): \(answer.text)")
            #expect(!answer.text.contains(secret), "\(path)")
            #expect(!answer.text.contains(Hex.encode(Samples.hashing.sha256(Array(secret.utf8)))), "\(path)")
        }
    }
}
