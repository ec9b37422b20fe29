import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Management API: clients")
struct ClientTests {
    private func created(_ fixture: ManagementFixture, _ body: JSONObject = [:]) async throws -> JSONObject {
        let answer = await fixture.post("/clients", .object(body.completed(with: ["name": "Agent"])))
        #expect(answer.status == 201, "\(answer.text)")
        return try (answer.json.objectValue).orThrow("no object")
    }

    private func id(_ client: JSONObject) throws -> String { try (client["client_id"]?.stringValue).orThrow("no id") }

    @Test("members without a value are absent from answers or empty, and never null")
    func absent() async throws {
        let fixture = try await ManagementFixture()
        let client = try await created(fixture, ["callbacks": [], "web_origins": []])
        let emptied = await fixture.patch(
            "/clients/\(try id(client))", ["allowed_logout_urls": nil, "allowed_origins": [], "description": nil])
        #expect(emptied.status == 200, "\(emptied.text)")
        for name in ["callbacks", "allowed_logout_urls", "web_origins", "allowed_origins"] {
            #expect(client[name]?.arrayValue ?? [] == [] && emptied.json[name]?.arrayValue ?? [] == [], "\(name)")
        }
        #expect(
            !String(decoding: JSONWriter.bytes(.object(client)), as: UTF8.self).contains("null")
                && !emptied.text.contains("null"))
        #expect(!(await fixture.get("/tenants/settings").text.contains("null")))
    }

    @Test("a client is created with a secret that is shown once, changed, listed and removed")
    func life() async throws {
        let fixture = try await ManagementFixture()
        let client = try await created(fixture)
        let id = try id(client)
        #expect(id.count == 32)
        #expect(client["client_secret"]?.stringValue?.count == 64)
        #expect(client["is_first_party"] == true)
        #expect(client["grant_types"] == ["authorization_code", "client_credentials", "refresh_token"])
        #expect(client["jwt_configuration"]?["lifetime_in_seconds"] == 36000)
        #expect(client["refresh_token"]?["rotation_type"] == "non-rotating")
        let shown = await fixture.get("/clients/\(id)").json
        #expect(shown["client_secret"] == nil)
        #expect(shown["name"] == "Agent")
        let changed = await fixture.patch(
            "/clients/\(id)",
            [
                "name": "Buyer", "jwt_configuration": ["alg": "PS256"],
                "refresh_token": [
                    "rotation_type": "rotating", "expiration_type": "expiring", "token_lifetime": "3600",
                    "idle_token_lifetime": 600, "infinite_token_lifetime": false,
                    "infinite_idle_token_lifetime": false, "leeway": 5,
                ],
            ])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed["jwt_configuration"] == ["alg": "PS256", "lifetime_in_seconds": 36000])
        #expect(changed["refresh_token"]?["token_lifetime"] == 3600)
        #expect(changed["client_secret"] == nil)
        #expect(await fixture.get("/clients?include_totals=true&per_page=1").json["total"] == 6)
        #expect(await fixture.delete("/clients/\(id)").status == 204)
        #expect(await fixture.get("/clients/\(id)").code == "inexistent_client")
    }

    @Test("the documented change enables a client for the back channel")
    func backchannel() async throws {
        let fixture = try await ManagementFixture()
        let id = try id(try await created(fixture))
        let ciba = JSONValue.string(GrantType.ciba.rawValue)
        let answer = await fixture.patch(
            "/clients/\(id)",
            [
                "grant_types": ["authorization_code", "refresh_token", ciba], "oidc_conformant": true,
                "async_approval_notification_channels": ["guardian-push", "email"],
            ])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer["async_approval_notification_channels"] == ["guardian-push", "email"])
        let mailed = await fixture.patch("/clients/\(id)", ["async_approval_notification_channels": ["email"]])
        #expect(mailed["async_approval_notification_channels"] == ["email"], "\(mailed.text)")
        let none = await fixture.patch("/clients/\(id)", ["async_approval_notification_channels": nil])
        #expect(none["async_approval_notification_channels"] == nil)
    }

    @Test("public clients have no secret, and get one when they become confidential")
    func publicClients() async throws {
        let fixture = try await ManagementFixture()
        let client = try await created(fixture, ["app_type": "native", "callbacks": ["com.example.app://back"]])
        let id = try id(client)
        #expect(client["client_secret"] == nil)
        #expect(client["token_endpoint_auth_method"] == "none")
        #expect(client["refresh_token"]?["rotation_type"] == "rotating")
        #expect(await fixture.post("/clients/\(id)/rotate-secret", [:]).code == "operation_not_supported")
        let confidential = await fixture.patch("/clients/\(id)", ["token_endpoint_auth_method": "client_secret_basic"])
        #expect(confidential["client_secret"]?.stringValue?.count == 64)
        #expect(await fixture.get("/clients?app_type=spa,native").json.arrayValue?.count == 1)
        #expect(await fixture.get("/clients?is_first_party=false").json.arrayValue?.count == 1)
        #expect(await fixture.get("/clients?is_global=true").json == [])
    }

    @Test("RFC 9700 2.1.1: PKCE can be required of a confidential client, and is shown")
    func proofKey() async throws {
        let fixture = try await ManagementFixture()
        let client = try await created(fixture, ["app_type": "regular_web"])
        #expect(client["require_proof_key"] == nil)
        let path = "/clients/\(try id(client))"
        let changed = await fixture.patch(path, ["require_proof_key": true])
        #expect(changed.status == 200 && changed["require_proof_key"] == true)
        #expect(try fixture.server.entry.client(ClientID(try id(client)))?.requiresProofKey == true)
        #expect(await fixture.patch(path, ["require_proof_key": false])["require_proof_key"] == nil)
        #expect(await fixture.patch(path, ["require_proof_key": "yes"]).status == 400)
    }

    @Test("a rotated secret replaces the old one at once")
    func rotation() async throws {
        let fixture = try await ManagementFixture()
        let client = try await created(
            fixture, ["grant_types": ["client_credentials", .string(GrantType.ciba.rawValue)]])
        let id = try id(client)
        func error(_ secret: JSONValue?) async -> JSONValue? {
            await fixture.server.send(
                .form(
                    "/oauth/token",
                    [
                        "grant_type": "client_credentials", "client_id": id, "client_secret": secret?.stringValue,
                        "audience": Samples.api,
                    ]))["error"]
        }
        #expect(await error(client["client_secret"]) == "invalid_target")
        let rotated = await fixture.post("/clients/\(id)/rotate-secret", [:])
        #expect(rotated.status == 200)
        #expect(await error(client["client_secret"]) == "invalid_client")
        #expect(await error(rotated["client_secret"]) == "invalid_target")
        #expect(try await fixture.server.auditText().contains(rotated["client_secret"]?.stringValue ?? "") == false)
    }

    @Test("members without effect are stored and returned; client_metadata is merged")
    func unknown() async throws {
        let fixture = try await ManagementFixture()
        let client = try await created(
            fixture,
            [
                "description": "Buys", "client_metadata": ["team": "a", "cost": "b"],
                "initiate_login_uri": "https://a.example/",
                "jwt_configuration": ["secret_encoded": false], "sso": nil,
            ])
        #expect(client["description"] == "Buys")
        #expect(!client.members.contains { $0.name == "sso" })
        #expect(
            client["jwt_configuration"] == [
                "alg": "RS256", "lifetime_in_seconds": 36000, "secret_encoded": false,
            ])
        let changed = await fixture.patch(
            "/clients/\(try id(client))", ["client_metadata": ["team": nil, "cost": "c"]])
        #expect(changed["client_metadata"] == ["cost": "c"])
        #expect(changed["initiate_login_uri"] == "https://a.example/")
        let cleared = await fixture.patch("/clients/\(try id(client))", ["initiate_login_uri": nil])
        #expect(cleared["initiate_login_uri"] == nil)
    }

    private static let fingerprint = String(repeating: "0a", count: 32)

    @Test("Auth0: mobile apps are stored with fingerprints in Android's spelling, and null deletes them")
    func mobile() async throws {
        let fixture = try await ManagementFixture()
        let ios: JSONValue = ["team_id": "ABCDE12345", "app_bundle_identifier": "com.example.App-1"]
        let written = [String](repeating: "0A", count: 32).joined(separator: ":")
        let other = [String](repeating: "ff", count: 32).joined(separator: ":")
        let client = try await created(
            fixture,
            [
                "mobile": [
                    "ios": ios,
                    "android": ["app_package_name": "com.example.app", "keystore_hash": .string(Self.fingerprint)],
                ]
            ])
        let android: JSONValue = [
            "app_package_name": "com.example.app", "sha256_cert_fingerprints": [.string(written)],
        ]
        #expect(client["mobile"] == ["ios": ios, "android": android])
        let path = "/clients/\(try id(client))"
        let changed = await fixture.patch(
            path,
            [
                "mobile": [
                    "ios": [:],
                    "android": [
                        "app_package_name": "com.example.app",
                        "sha256_cert_fingerprints": [.string(other), .string(written), .string(other)],
                    ],
                ]
            ])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed["mobile"]?["ios"] == nil)
        #expect(
            changed["mobile"]?["android"]?["sha256_cert_fingerprints"] == [
                .string(other.uppercased()), .string(written),
            ])
        #expect(await fixture.get(path).json["mobile"] == changed["mobile"])
        #expect(await fixture.patch(path, ["mobile": nil])["mobile"] == nil)
    }

    private static let wrong: [(body: JSONObject, property: String)] = [
        (["grant_types": ["implicit"]], "grant_types[0]"), (["jwt_configuration": ["alg": "HS256"]], "alg"),
        (["client_id": "mine"], "client_id"), (["client_grants": []], "client_grants"),
        (["client_secret": "short"], "client_secret"), (["callbacks": ["https://*.example/"]], "callbacks[0]"),
        (["web_origins": ["https://a.example", "https://a.example/"]], "web_origins[1]"),
        (["allowed_origins": ["https://*.example"]], "allowed_origins[0]"),
        (["async_approval_notification_channels": ["guardian-push"]], "async_approval_notification_channels"),
        (["async_approval_notification_channels": ["sms"]], "async_approval_notification_channels"),
        (["token_endpoint_auth_method": "none", "grant_types": ["client_credentials"]], "grant_types"),
        (["require_proof_of_possession": true], "require_proof_of_possession"),
        (["signed_request_object": ["required": true]], "signed_request_object.required"),
        (["compliance_level": "fapi1_adv_pkj_par"], "compliance_level"),
        (["organization_usage": "require"], "organization_usage"),
        (["token_quota": ["client_credentials": ["per_day": 5]]], "token_quota.client_credentials.enforce"),
        (["third_party_security_mode": "strict"], "third_party_security_mode"),
        (["redirection_policy": "open_redirect_protection"], "redirection_policy"),
        (["mobile": ["ios": ["team_id": "ABCDE12345"]]], "mobile.ios.app_bundle_identifier"),
        (["mobile": ["ios": ["team_id": "abcde12345", "app_bundle_identifier": "a"]]], "mobile.ios.team_id"),
        (["mobile": ["ios": ["team_id": "ABCDE12345", "app_bundle_identifier": "a/b"]]], "app_bundle_identifier"),
        (["mobile": ["android": ["app_package_name": "com.example"]]], "sha256_cert_fingerprints"),
        (
            ["mobile": ["android": ["app_package_name": "com", "keystore_hash": .string(fingerprint)]]],
            "app_package_name"
        ),
        (
            [
                "mobile": [
                    "android": [
                        "app_package_name": "com.example",
                        "sha256_cert_fingerprints": [.string("zz" + fingerprint.dropFirst(2))],
                    ]
                ]
            ], "sha256_cert_fingerprints[0]"
        ),
        (["client_metadata": ["a": .string(String(repeating: "b", count: 40_000))]], "32768"),
    ]

    private static let searches: [(query: String, names: [String])] = [
        ("q=name:shop*", ["Shop", "Shopper"]), ("q=app_type:(spa%20OR%20native)", ["Shopper"]),
        ("q=is_first_party:false", ["Client third-party", "Other"]), ("q=shop", ["Shop"]),
        ("q=name:shop*%20-app_type:spa", ["Shop"]),
        ("q=client_metadata.team:red%20OR%20_exists_:description", ["Other", "Shop"]),
        ("q=client_grant.audience:*%20AND%20name:shop*", []), ("q=grant_types:implicit", []),
        ("external_client_id=https://a.example/client.json", ["Other"]), ("external_client_id=nobody", []),
    ]

    @Test("clients are found by search", arguments: searches)
    func search(query: String, names: [String]) async throws {
        let fixture = try await ManagementFixture()
        _ = try await created(fixture, ["name": "Shop", "description": "Sells"])
        _ = try await created(fixture, ["name": "Shopper", "app_type": "spa", "grant_types": []])
        _ = try await created(
            fixture,
            [
                "name": "Other", "is_first_party": false, "client_metadata": ["team": "Red"],
                "external_client_id": "https://a.example/client.json",
            ])
        let found = await fixture.get("/clients?\(query)")
        #expect((found.json.arrayValue ?? []).compactMap { $0["name"]?.stringValue }.sorted() == names, "\(found.text)")
    }

    @Test("a search by unknown fields is refused")
    func wrongSearch() async throws {
        let fixture = try await ManagementFixture()
        for query in ["nmae:a", "client_secret:*", "name:[a", "name:/a/"] {
            #expect(await fixture.get("/clients?q=\(query)").code == "invalid_query_string", "\(query)")
        }
    }

    @Test("unsupported protections are accepted if they are switched off")
    func harmless() async throws {
        let fixture = try await ManagementFixture()
        let members: JSONObject = [
            "require_proof_of_possession": false, "signed_request_object": ["required": false],
            "compliance_level": "none", "organization_usage": "deny",
            "token_quota": ["client_credentials": ["enforce": false, "per_day": 5]],
            "third_party_security_mode": "permissive", "redirection_policy": "allow_always",
        ]
        let id = try id(try await created(fixture, members))
        for name in members.members.map(\.name) {
            #expect(await fixture.patch("/clients/\(id)", .object([name: nil])).status == 200, "\(name)")
        }
        #expect(await fixture.patch("/clients/\(id)", ["compliance_level": "fapi2_sp_pkj_mtls"]).code == "invalid_body")
    }

    @Test("unsupported values are refused with the property", arguments: wrong)
    func invalid(body: JSONObject, property: String) async throws {
        let fixture = try await ManagementFixture()
        let answer = await fixture.post("/clients", .object(body.completed(with: ["name": "Agent"])))
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_body")
        #expect(answer.message.contains(property), "\(answer.message)")
    }

    @Test("a token for summaries shows only the summary")
    func summary() async throws {
        let fixture = try await ManagementFixture(scopes: ["read:client_summary"])
        let shown = try (await fixture.get("/clients/agent").json.objectValue).orThrow("no object")
        #expect(Set(shown.members.map(\.name)) == ["client_id", "name", "is_first_party"])
        #expect(await fixture.delete("/clients/agent").status == 403)
    }

    @Test("removing a client also removes its consents and refresh tokens")
    func removal() async throws {
        let fixture = try await ManagementFixture()
        let rows = try await fixture.server.dump().filter { $0.contains("'agent'") }
        #expect(!rows.isEmpty)
        #expect(await fixture.delete("/clients/agent").status == 204)
        #expect(try await fixture.server.dump().filter { $0.contains("'agent'") }.isEmpty)
    }

    @Test("a new API and a new client work for a request at once")
    func asking() async throws {
        let fixture = try await ManagementFixture()
        let api = await fixture.post(
            "/resource-servers",
            [
                "identifier": "https://bank.example/", "scopes": [["value": "pay"]],
                "authorization_details": [["type": "transfer"]], "signing_alg": "EdDSA",
            ])
        #expect(api.status == 201, "\(api.text)")
        let client = try await created(fixture, ["grant_types": [.string(GrantType.ciba.rawValue)]])
        _ = try await InProcessPhone(in: fixture.server)
        func ask(_ type: String) async throws -> HTTPAnswer {
            await fixture.server.send(
                .form(
                    "/bc-authorize",
                    [
                        "client_id": try id(client), "client_secret": client["client_secret"]?.stringValue,
                        "scope": "openid pay", "binding_message": "TX-1", "audience": "https://bank.example/",
                        "login_hint": #"{"format":"iss_sub","iss":"https://dev.example/","sub":"auth0|ann"}"#,
                        "authorization_details": #"[{"type":"\#(type)","amount":"12"}]"#,
                    ]))
        }
        let answer = try await ask("transfer")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await ask("payment")["error"] == "invalid_authorization_details")
    }
}
