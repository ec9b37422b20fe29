import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Management API: client grants")
struct ClientGrantTests {
    /// A fixture with the client `machine`, which has no grants.
    private static func fixture(_ change: (inout ResourceServer) -> Void = { _ in }) async throws -> ManagementFixture {
        try await ManagementFixture { setup in
            setup.clients.append(Samples.client("machine") { $0.grantTypes = [.clientCredentials, .ciba] })
            change(&setup.apis[0])
        }
    }

    private func granted(_ fixture: ManagementFixture, _ members: JSONObject = [:]) async throws -> JSONObject {
        let body = members.completed(with: [
            "client_id": "machine", "audience": .string(Samples.api), "scope": ["pay:read"],
        ])
        let answer = await fixture.post("/client-grants", .object(body))
        #expect(answer.status == 201, "\(answer.text)")
        return try (answer.json.objectValue).orThrow("no object")
    }

    private func token(_ fixture: ManagementFixture, scope: String? = nil) async -> HTTPAnswer {
        await fixture.server.send(
            .form(
                "/oauth/token",
                [
                    "grant_type": "client_credentials", "client_id": "machine", "client_secret": Samples.secret,
                    "audience": Samples.api, "scope": scope,
                ]))
    }

    private func ask(_ fixture: ManagementFixture, scope: String = "openid pay:read pay:send", details: String? = nil)
        async
        -> HTTPAnswer
    {
        await fixture.server.send(
            .form(
                "/bc-authorize",
                [
                    "client_id": "machine", "client_secret": Samples.secret, "scope": scope, "binding_message": "TX-1",
                    "audience": Samples.api, "authorization_details": details,
                    "login_hint": #"{"format":"iss_sub","iss":"https://dev.example/","sub":"auth0|ann"}"#,
                ]))
    }

    @Test("a token for this API permits only what the client's grant still permits, and nothing without a grant")
    func withdrawn() async throws {
        let fixture = try await ManagementFixture()
        let listed = await fixture.get("/client-grants?client_id=operator").json
        let id = try (listed.arrayValue?.first?["id"]?.stringValue).orThrow("no grant: \(listed)")
        #expect(await fixture.get("/users").status == 200)
        let left: JSONValue = ["scope": ["read:clients", "delete:client_grants"]]
        #expect(await fixture.patch("/client-grants/\(id)", left).status == 200)
        #expect(await fixture.get("/users").status == 403)
        #expect(await fixture.get("/clients").status == 200)
        #expect(await fixture.delete("/client-grants/\(id)").status == 204)
        #expect(await fixture.get("/clients").status == 401)
    }

    @Test("a grant is created, echoed, found, changed and removed, with immediate effect")
    func life() async throws {
        let fixture = try await Self.fixture()
        #expect(await token(fixture)["error"] == "invalid_target")
        let grant = try await granted(fixture, ["organization_usage": "deny"]).patched(with: ["warnings": nil])
        let id = try (grant["id"]?.stringValue).orThrow("no id")
        #expect(id.hasPrefix("cgr_") && id.count == 20)
        #expect(grant["scope"] == ["pay:read"])
        #expect(grant["subject_type"] == "client")
        #expect(grant["organization_usage"] == "deny")
        #expect(await token(fixture)["scope"] == "pay:read")
        #expect(await token(fixture, scope: "pay:send")["error"] == "invalid_scope")
        #expect(await fixture.get("/client-grants/\(id)").json == .object(grant))
        #expect(await fixture.get("/client-grants?client_id=machine").json == [.object(grant)])
        #expect(await fixture.get("/client-grants?client_id=machine&subject_type=user").json == [])
        #expect(await fixture.get("/client-grants?client_id=machine&take=1").json["client_grants"] == [.object(grant)])
        let changed = await fixture.patch("/client-grants/\(id)", ["scope": ["pay:send"]])
        #expect(changed["id"] == .string(id))
        #expect(changed["organization_usage"] == "deny")
        #expect(await token(fixture)["scope"] == "pay:send")
        let all = await fixture.patch("/client-grants/\(id)", ["allow_all_scopes": true])
        #expect(all["allow_all_scopes"] == true, "\(all.text)")
        #expect(await token(fixture)["scope"] == "pay:read pay:send")
        #expect(await fixture.delete("/client-grants/\(id)").status == 204)
        #expect(await token(fixture)["error"] == "invalid_target")
        #expect(await fixture.get("/client-grants/\(id)").code == "inexistent_client_grant")
    }

    @Test("a second grant for the same API, client and subject: 409; another subject has its own")
    func conflict() async throws {
        let fixture = try await Self.fixture()
        _ = try await granted(fixture)
        let body: JSONValue = ["client_id": "machine", "audience": .string(Samples.api), "scope": []]
        #expect(await fixture.post("/client-grants", body).code == "client_grant_conflict")
        _ = try await granted(fixture, ["subject_type": "user"])
        #expect(await fixture.get("/client-grants?client_id=machine").json.arrayValue?.count == 2)
    }

    @Test("the client and API that a grant names must exist")
    func references() async throws {
        let fixture = try await Self.fixture()
        func status(_ client: JSONValue, _ audience: JSONValue, _ scope: JSONValue) async -> Int {
            await fixture.post("/client-grants", ["client_id": client, "audience": audience, "scope": scope]).status
        }
        #expect(await status("nobody", .string(Samples.api), []) == 404)
        #expect(await status("machine", "https://nowhere.example/", []) == 400)
        #expect(await status("machine", .string(Samples.api), ["fly"]) == 400)
        #expect(await status("machine", .string(ManagementFixture.audience), ["read:users"]) == 201)
        func message(_ members: JSONObject) async -> String {
            let grant: JSONObject = ["client_id": "machine", "audience": .string(Samples.api), "scope": []]
            return await fixture.post("/client-grants", .object(grant.patched(with: members))).message
        }
        #expect(await message(["audience": "https://nowhere.example/"]).hasSuffix("' on property audience."))
        #expect(await message(["scope": ["fly"]]).hasSuffix("' on property scope."))
        let types = await message(["authorization_details_types": ["fly"]])
        #expect(types.hasSuffix("' on property authorization_details_types."), "\(types)")
        #expect(await message(["organization_usage": "require"]).hasSuffix("' on property organization_usage."))
    }

    @Test("a grant from the configuration has an id, and a patch keeps its other members")
    func applied() async throws {
        let fixture = try await ManagementFixture()
        let grant = try (await fixture.get("/client-grants?client_id=operator").json[0]).orThrow("no grant")
        #expect(grant["allow_all_scopes"] == true)
        let id = try (grant["id"]?.stringValue).orThrow("no id")
        let changed = await fixture.patch("/client-grants/\(id)", ["allow_any_organization": false])
        #expect(changed["allow_all_scopes"] == true, "\(changed.text)")
        #expect(await fixture.patch("/client-grants/\(id)", ["audience": "https://other.example/"]).status == 400)
    }

    @Test("if an API requires a grant, clients may ask users only for what they were granted")
    func userGrants() async throws {
        let fixture = try await Self.fixture { $0.userPolicy = .requireClientGrant }
        _ = try await InProcessPhone(in: fixture.server)
        #expect(await ask(fixture)["error"] == "invalid_target")
        _ = try await granted(fixture)
        #expect(
            await ask(fixture)["error"] == "invalid_target", "a grant for the client itself is none in users' names")
        let grant = try await granted(fixture, ["subject_type": "user"])
        #expect(await ask(fixture).status == 200)
        let details = #"[{"type":"payment"}]"#
        #expect(await ask(fixture, details: details)["error"] == "invalid_authorization_details")
        let id = try (grant["id"]?.stringValue).orThrow("no id")
        let changed = await fixture.patch("/client-grants/\(id)", ["authorization_details_types": ["payment"]])
        #expect(changed["authorization_details_types"] == ["payment"], "\(changed.text)")
        #expect(await ask(fixture, details: details).status == 200)
    }

    @Test("an API that denies all refuses every client, for users and for itself")
    func denied() async throws {
        let fixture = try await Self.fixture {
            $0.userPolicy = .denyAll
            $0.clientPolicy = .denyAll
        }
        _ = try await granted(fixture)
        _ = try await granted(fixture, ["subject_type": "user"])
        #expect(await ask(fixture)["error"] == "invalid_target")
        #expect(await token(fixture)["error"] == "invalid_target")
    }

    @Test("Auth0 scopes that this API does not have are stored without effect, and others refused")
    func inertScopes() async throws {
        let fixture = try await Self.fixture()
        let named: JSONValue = ["blacklist:tokens", "create:client_keys", "read:actions", "read:users"]
        let body: JSONObject = [
            "client_id": "machine", "audience": .string(ManagementFixture.audience), "scope": named,
        ]
        let made = await fixture.post("/client-grants", .object(body))
        #expect(made.status == 201, "\(made.text)")
        #expect(made["scope"] == named, "a program that compares finds what it sent")
        #expect(made["scope_without_effect"] == ["blacklist:tokens", "create:client_keys", "read:actions"])
        let token = await fixture.server.send(
            .form(
                "/oauth/token",
                [
                    "grant_type": "client_credentials", "client_id": "machine", "client_secret": Samples.secret,
                    "audience": ManagementFixture.audience,
                ]))
        #expect(token["scope"] == "read:users", "\(token.text)")
        let path = "/client-grants/\(try (made["id"]?.stringValue).orThrow("no id"))"
        let echoed = await fixture.patch(path, .object(made.json.objectValue ?? [:]).without("id", "subject_type"))
        #expect(echoed.json == made.json, "what was answered can be sent back: \(echoed.text)")
        let fewer = await fixture.patch(path, ["scope": ["read:actions"]])
        #expect(fewer["scope"] == ["read:actions"] && fewer["scope_without_effect"] == ["read:actions"])
        let all = await fixture.patch(path, ["allow_all_scopes": true])
        #expect(all["allow_all_scopes"] == true && all["scope_without_effect"] == nil, "\(all.text)")
        for wrong in ["fly:users", "read:everything", "read", "read:", ":users", "read:users:x"] {
            let refused = await fixture.patch(path, ["scope": [.string(wrong)]])
            #expect(refused.status == 400 && refused.message.contains("scope"), "\(wrong): \(refused.text)")
        }
        let other = await fixture.post(
            "/client-grants", ["client_id": "machine", "audience": .string(Samples.api), "scope": ["read:actions"]])
        #expect(other.status == 400, "another API has its own scopes alone")
    }

    @Test("ids of grants and connections are letters and digits after their prefix")
    func ids() throws {
        let ids = ObjectIDs(hashing: Samples.hashing)
        let made = (0..<500).flatMap { number in
            let grant = ClientGrant(audience: "https://api-\(number).example/")
            return [
                ids.clientGrant(grant, of: ClientID("c"), in: TenantID("dev")),
                ids.connection("name-\(number)", of: TenantID("dev")),
            ]
        }
        #expect(Set(made).count == 1000)
        for id in made {
            #expect(id.count == 20 && id.dropFirst(4).allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
        }
    }

    @Test("a grant for the client itself does not restrict what it may ask users for")
    func unlimited() async throws {
        let fixture = try await Self.fixture()
        _ = try await InProcessPhone(in: fixture.server)
        _ = try await granted(fixture)
        #expect(await ask(fixture, details: #"[{"type":"payment"}]"#).status == 200)
    }
}

extension JSONValue {
    fileprivate func without(_ names: String...) -> JSONValue {
        var object = objectValue ?? [:]
        for name in names { object[name] = nil }
        return .object(object)
    }
}
