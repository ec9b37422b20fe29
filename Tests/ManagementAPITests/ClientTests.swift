import Administration
import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Management API: clients")
struct ClientTests {
    private func created(_ desk: Desk, _ body: JSONObject = [:]) async throws -> JSONObject {
        let answer = await desk.post("/clients", .object(body.completed(with: ["name": "Agent"])))
        #expect(answer.status == 201, "\(answer.text)")
        return try (answer.json.objectValue).orThrow("no object")
    }

    private func id(_ client: JSONObject) throws -> String { try (client["client_id"]?.stringValue).orThrow("no id") }

    @Test("a client is created with a secret that is shown once, changed, listed and removed")
    func life() async throws {
        let desk = try await Desk()
        let client = try await created(desk)
        let id = try id(client)
        #expect(id.count == 32)
        #expect(client["client_secret"]?.stringValue?.count == 64)
        #expect(client["is_first_party"] == true)
        #expect(client["grant_types"] == ["authorization_code", "client_credentials", "refresh_token"])
        #expect(client["jwt_configuration"]?["lifetime_in_seconds"] == 36000)
        #expect(client["refresh_token"]?["rotation_type"] == "non-rotating")
        let shown = await desk.get("/clients/\(id)").json
        #expect(shown["client_secret"] == nil)
        #expect(shown["name"] == "Agent")
        let changed = await desk.patch(
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
        #expect(await desk.get("/clients?include_totals=true&per_page=1").json["total"] == 6)
        #expect(await desk.delete("/clients/\(id)").status == 204)
        #expect(await desk.get("/clients/\(id)").code == "inexistent_client")
    }

    @Test("the documented change makes a client one that asks through the back channel")
    func backchannel() async throws {
        let desk = try await Desk()
        let id = try id(try await created(desk))
        let ciba = JSONValue.string(GrantType.ciba.rawValue)
        let answer = await desk.patch(
            "/clients/\(id)",
            [
                "grant_types": ["authorization_code", "refresh_token", ciba], "oidc_conformant": true,
                "async_approval_notification_channels": ["guardian-push", "email"],
            ])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer["async_approval_notification_channels"] == ["guardian-push", "email"])
        let unheard = await desk.patch("/clients/\(id)", ["async_approval_notification_channels": ["email"]])
        #expect(unheard.code == "invalid_body", "\(unheard.text)")
        #expect(unheard.message.contains("guardian-push") && unheard.message.contains("e-mail"), "\(unheard.message)")
        let none = await desk.patch("/clients/\(id)", ["async_approval_notification_channels": nil])
        #expect(none["async_approval_notification_channels"] == nil)
    }

    @Test("public clients have no secret, and get one when they become confidential")
    func publicClients() async throws {
        let desk = try await Desk()
        let client = try await created(desk, ["app_type": "native", "callbacks": ["com.example.app://back"]])
        let id = try id(client)
        #expect(client["client_secret"] == nil)
        #expect(client["token_endpoint_auth_method"] == "none")
        #expect(client["refresh_token"]?["rotation_type"] == "rotating")
        #expect(await desk.post("/clients/\(id)/rotate-secret", [:]).code == "operation_not_supported")
        let confidential = await desk.patch("/clients/\(id)", ["token_endpoint_auth_method": "client_secret_basic"])
        #expect(confidential["client_secret"]?.stringValue?.count == 64)
        #expect(await desk.get("/clients?app_type=spa,native").json.arrayValue?.count == 1)
        #expect(await desk.get("/clients?is_first_party=false").json.arrayValue?.count == 1)
        #expect(await desk.get("/clients?is_global=true").json == [])
    }

    @Test("RFC 9700 2.1.1: a confidential client may be made to need PKCE, and is shown to")
    func proofKey() async throws {
        let desk = try await Desk()
        let client = try await created(desk, ["app_type": "regular_web"])
        #expect(client["require_proof_key"] == nil)
        let path = "/clients/\(try id(client))"
        let changed = await desk.patch(path, ["require_proof_key": true])
        #expect(changed.status == 200 && changed["require_proof_key"] == true)
        #expect(try desk.server.entry.client(ClientID(try id(client)))?.requiresProofKey == true)
        #expect(await desk.patch(path, ["require_proof_key": false])["require_proof_key"] == nil)
        #expect(await desk.patch(path, ["require_proof_key": "yes"]).status == 400)
    }

    @Test("a rotated secret takes the place of the old one at once")
    func rotation() async throws {
        let desk = try await Desk()
        let client = try await created(
            desk, ["grant_types": ["client_credentials", .string(GrantType.ciba.rawValue)]])
        let id = try id(client)
        func error(_ secret: JSONValue?) async -> JSONValue? {
            await desk.server.send(
                .form(
                    "/oauth/token",
                    [
                        "grant_type": "client_credentials", "client_id": id, "client_secret": secret?.stringValue,
                        "audience": Samples.api,
                    ]))["error"]
        }
        #expect(await error(client["client_secret"]) == "invalid_target")
        let rotated = await desk.post("/clients/\(id)/rotate-secret", [:])
        #expect(rotated.status == 200)
        #expect(await error(client["client_secret"]) == "invalid_client")
        #expect(await error(rotated["client_secret"]) == "invalid_target")
        #expect(try await desk.server.auditText().contains(rotated["client_secret"]?.stringValue ?? "") == false)
    }

    @Test("what nothing here depends on is stored and returned; client_metadata is patched within")
    func unknown() async throws {
        let desk = try await Desk()
        let client = try await created(
            desk,
            [
                "description": "Buys", "client_metadata": ["team": "a", "cost": "b"],
                "initiate_login_uri": "https://a.example/",
                "jwt_configuration": ["secret_encoded": false], "sso": nil,
            ])
        #expect(client["description"] == "Buys")
        #expect(
            client["jwt_configuration"] == [
                "alg": "RS256", "lifetime_in_seconds": 36000, "secret_encoded": false,
            ])
        let changed = await desk.patch("/clients/\(try id(client))", ["client_metadata": ["team": nil, "cost": "c"]])
        #expect(changed["client_metadata"] == ["cost": "c"])
        #expect(changed["initiate_login_uri"] == "https://a.example/")
        let cleared = await desk.patch("/clients/\(try id(client))", ["initiate_login_uri": nil])
        #expect(cleared["initiate_login_uri"] == nil)
    }

    private static let fingerprint = String(repeating: "0a", count: 32)

    @Test("Auth0: apps on phones are kept with their fingerprints as Android compares them, and taken away by null")
    func mobile() async throws {
        let desk = try await Desk()
        let ios: JSONValue = ["team_id": "ABCDE12345", "app_bundle_identifier": "com.example.App-1"]
        let written = [String](repeating: "0A", count: 32).joined(separator: ":")
        let other = [String](repeating: "ff", count: 32).joined(separator: ":")
        let client = try await created(
            desk,
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
        let changed = await desk.patch(
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
        #expect(await desk.get(path).json["mobile"] == changed["mobile"])
        #expect(await desk.patch(path, ["mobile": nil])["mobile"] == nil)
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

    @Test("clients are searched for", arguments: searches)
    func search(query: String, names: [String]) async throws {
        let desk = try await Desk()
        _ = try await created(desk, ["name": "Shop", "description": "Sells"])
        _ = try await created(desk, ["name": "Shopper", "app_type": "spa", "grant_types": []])
        _ = try await created(
            desk,
            [
                "name": "Other", "is_first_party": false, "client_metadata": ["team": "Red"],
                "external_client_id": "https://a.example/client.json",
            ])
        let found = await desk.get("/clients?\(query)")
        #expect((found.json.arrayValue ?? []).compactMap { $0["name"]?.stringValue }.sorted() == names, "\(found.text)")
    }

    @Test("a search by what clients do not have is refused")
    func wrongSearch() async throws {
        let desk = try await Desk()
        for query in ["nmae:a", "client_secret:*", "name:[a", "name:/a/"] {
            #expect(await desk.get("/clients?q=\(query)").code == "invalid_query_string", "\(query)")
        }
    }

    @Test("what protects nothing, or asks for no protection, is taken")
    func harmless() async throws {
        let desk = try await Desk()
        let members: JSONObject = [
            "require_proof_of_possession": false, "signed_request_object": ["required": false],
            "compliance_level": "none", "organization_usage": "deny",
            "token_quota": ["client_credentials": ["enforce": false, "per_day": 5]],
            "third_party_security_mode": "permissive", "redirection_policy": "allow_always",
        ]
        let id = try id(try await created(desk, members))
        for name in members.members.map(\.name) {
            #expect(await desk.patch("/clients/\(id)", .object([name: nil])).status == 200, "\(name)")
        }
        #expect(await desk.patch("/clients/\(id)", ["compliance_level": "fapi2_sp_pkj_mtls"]).code == "invalid_body")
    }

    @Test("what cannot be done is refused with its place", arguments: wrong)
    func invalid(body: JSONObject, property: String) async throws {
        let desk = try await Desk()
        let answer = await desk.post("/clients", .object(body.completed(with: ["name": "Agent"])))
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_body")
        #expect(answer.message.contains(property), "\(answer.message)")
    }

    @Test("a token for summaries shows no more than that")
    func summary() async throws {
        let desk = try await Desk(scopes: ["read:client_summary"])
        let shown = try (await desk.get("/clients/agent").json.objectValue).orThrow("no object")
        #expect(Set(shown.members.map(\.name)) == ["client_id", "name", "is_first_party"])
        #expect(await desk.delete("/clients/agent").status == 403)
    }

    @Test("with a client go what users allowed it and its refresh tokens")
    func removal() async throws {
        let desk = try await Desk()
        let rows = try await desk.server.dump().filter { $0.contains("'agent'") }
        #expect(!rows.isEmpty)
        #expect(await desk.delete("/clients/agent").status == 204)
        #expect(try await desk.server.dump().filter { $0.contains("'agent'") }.isEmpty)
    }

    @Test("an API and a client that were created a moment ago are good for a request at once")
    func asking() async throws {
        let desk = try await Desk()
        let api = await desk.post(
            "/resource-servers",
            [
                "identifier": "https://bank.example/", "scopes": [["value": "pay"]],
                "authorization_details": [["type": "transfer"]], "signing_alg": "EdDSA",
            ])
        #expect(api.status == 201, "\(api.text)")
        let client = try await created(desk, ["grant_types": [.string(GrantType.ciba.rawValue)]])
        _ = try await InProcessPhone(in: desk.server)
        func ask(_ type: String) async throws -> HTTPAnswer {
            await desk.server.send(
                .form(
                    "/bc-authorize",
                    [
                        "client_id": try id(client), "client_secret": client["client_secret"]?.stringValue,
                        "scope": "openid pay", "binding_message": "TX-1", "audience": "https://bank.example/",
                        "login_hint": #"{"format":"iss_sub","iss":"https://dev.example/","sub":"auth0|ann"}"#,
                        "authorization_details": #"[{"type":"\#(type)","amount":"12"}]"#,
                    ]))
        }
        let asked = try await ask("transfer")
        #expect(asked.status == 200, "\(asked.text)")
        #expect(try await ask("payment")["error"] == "invalid_authorization_details")
    }
}
