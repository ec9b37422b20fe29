import Administration
import AuthorizationCore
import Configuration
import Flows
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Management API: resource servers")
struct ResourceServerTests {
    private static let identifier = "https://bank.example/accounts"

    private func created(_ fixture: ManagementFixture, _ members: JSONObject = [:]) async throws -> JSONObject {
        let body = members.completed(with: ["identifier": .string(Self.identifier)])
        let answer = await fixture.post("/resource-servers", .object(body))
        #expect(answer.status == 201, "\(answer.text)")
        return try (answer.json.objectValue).orThrow("no object")
    }

    @Test("an API is created with the recorded defaults, shown by id and by identifier, changed and removed")
    func life() async throws {
        let fixture = try await ManagementFixture()
        let api = try await created(fixture, ["name": "Accounts"])
        let id = try (api["id"]?.stringValue).orThrow("no id")
        #expect(id.count == 24 && Hex.decode(id) != nil)
        #expect(api["is_system"] == false)
        #expect(api["allow_offline_access"] == false)
        #expect(api["skip_consent_for_verifiable_first_party_clients"] == false)
        #expect(api["token_lifetime"] == 86400)
        #expect(api["signing_alg"] == "RS256")
        #expect(
            api["subject_type_authorization"]
                == ["user": ["policy": "allow_all"], "client": ["policy": "require_client_grant"]])
        let encoded = PercentEncoding.encode(Self.identifier)
        #expect(await fixture.get("/resource-servers/\(encoded)").json == .object(api))
        #expect(await fixture.get("/resource-servers/\(id)").json == .object(api))
        let changed = await fixture.patch(
            "/resource-servers/\(id)",
            [
                "scopes": [["value": "read", "description": "See"], ["value": "pay", "description": nil]],
                "token_dialect": "rfc9068_profile_authz", "enforce_policies": true, "signing_alg": "ES256",
                "consent_policy": "transactional-authorization-with-mfa",
                "authorization_details": [["type": "payment", "schema": ["type": "object", "required": ["amount"]]]],
            ])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed["scopes"]?[1]?["value"] == "pay")
        #expect(changed["authorization_details"]?[0]?["schema"]?["required"] == ["amount"])
        #expect(await fixture.patch("/resource-servers/\(id)", ["consent_policy": nil])["consent_policy"] == nil)
        #expect(await fixture.delete("/resource-servers/\(encoded)").status == 204)
        #expect(await fixture.get("/resource-servers/\(id)").code == "inexistent_resource_server")
    }

    @Test("evidence is demanded by an API and by a type of details, and null removes the demand")
    func evidence() async throws {
        let fixture = try await ManagementFixture()
        let api = try await created(fixture)
        #expect(api["evidence"] == nil && api["approval_in_tokens"] == false)
        let path = "/resource-servers/\(PercentEncoding.encode(Self.identifier))"
        let set = await fixture.patch(
            path,
            [
                "evidence": "signed-digest", "approval_in_tokens": true,
                "authorization_details": [
                    ["type": "pay", "evidence": "signed-digest"], ["type": "see", "evidence": nil],
                ],
            ])
        #expect(set["evidence"] == "signed-digest" && set["approval_in_tokens"] == true, "\(set.text)")
        #expect(set["authorization_details"] == [["type": "pay", "evidence": "signed-digest"], ["type": "see"]])
        let cleared = await fixture.patch(path, ["evidence": nil, "approval_in_tokens": nil])
        #expect(cleared.status == 200)
        #expect(cleared["evidence"] == nil && cleared["approval_in_tokens"] == false, "\(cleared.text)")
        let stored = try (fixture.server.entry.resourceServers[Self.identifier]).orThrow("no API")
        #expect(stored.evidence == nil && !stored.carriesApproval)
        #expect(stored.authorizationDetailsTypes.map(\.evidence) == [.signedDigest, nil])
    }

    @Test("an API from the configuration has an id, too")
    func derived() async throws {
        let fixture = try await ManagementFixture()
        let listed = await fixture.get("/resource-servers?identifiers=\(PercentEncoding.encode(Samples.api))").json
        let id = try (listed[0]?["id"]?.stringValue).orThrow("no id: \(listed)")
        #expect(await fixture.get("/resource-servers/\(id)")["identifier"] == .string(Samples.api))
    }

    @Test("the Management API is listed and cannot be changed")
    func system() async throws {
        let fixture = try await ManagementFixture()
        let list = await fixture.get("/resource-servers?include_totals=true").json
        let system = try (list["resource_servers"]?[0]).orThrow("nothing listed")
        #expect(system["identifier"] == .string(ManagementFixture.audience))
        #expect(system["is_system"] == true)
        let id = try (system["id"]?.stringValue).orThrow("no id")
        #expect(await fixture.patch("/resource-servers/\(id)", ["name": "Mine"]).code == "operation_not_supported")
        #expect(await fixture.delete("/resource-servers/\(id)").status == 400)
        #expect(
            await fixture.post("/resource-servers", ["identifier": .string(ManagementFixture.audience)]).status == 409)
    }

    @Test("members without effect are stored and returned")
    func unknown() async throws {
        let fixture = try await ManagementFixture()
        let api = try await created(
            fixture,
            ["token_lifetime_for_web": 7200, "subject_type_authorization": ["anonymous": ["policy": "deny_all"]]])
        #expect(api["token_lifetime_for_web"] == 7200)
        #expect(api["subject_type_authorization"]?["anonymous"] == ["policy": "deny_all"])
        #expect(api["subject_type_authorization"]?["user"] == ["policy": "allow_all"])
        let id = try (api["id"]?.stringValue).orThrow("no id")
        #expect(await fixture.patch("/resource-servers/\(id)", ["name": "A"])["token_lifetime_for_web"] == 7200)
        #expect(
            await fixture.patch("/resource-servers/\(id)", ["token_lifetime_for_web": nil])["token_lifetime_for_web"]
                == nil)
    }

    private static let wrong: [(body: JSONObject, property: String)] = [
        (["evidence": "none"], "evidence"), (["approval_in_tokens": "yes"], "approval_in_tokens"),
        (["authorization_details": [["type": "a", "evidence": "signed"]]], "evidence"),
        (["authorization_details": [["type": "a", "urgent": "yes"]]], "urgent"),
        (["authorization_details": [["type": "a", "schema": ["x-order": "1"]]]], "x-order must be a number"),
        (
            ["authorization_details": [["type": "a", "schema": ["x-translations": ["de": "An"]]]]],
            "x-translations must be an object"
        ),
        (["signing_alg": "HS256"], "signing_alg"), (["token_lifetime": 0], "token_lifetime"),
        (["token_dialect": "paseto"], "token_dialect"), (["scopes": [["value": "a b"]]], "scopes[0].value"),
        (["subject_type_authorization": ["client": ["policy": "allow_all"]]], "policy"),
        (["authorization_details": [["type": "a", "schema": ["type": 5]]]], "schema"),
        (
            ["authorization_details": [["type": "a", "schema": ["pattern": "(?:(?:(?:a{0}){10000}){10000}){10000}"]]]],
            "too large"
        ),
        (["authorization_details": [["type": "a", "schema": ["pattern": "(?:(?:a{500}){3}b){2}"]]]], "too large"),
        (["authorization_details": [["type": "a", "schema": ["pattern": "(?=a)b"]]]], "look-around"),
        (["authorization_details": [["type": "a", "schema": ["format": "iri"]]]], "known are date"),
        (["token_encryption": ["format": "compact-nested-jwe"]], "token_encryption"),
        (["identifier": "https://dev.example/userinfo"], "identifier"),
        (["scopes": [["value": "a"], ["value": "b"], ["value": "a"]]], "a is used twice' on property scopes[2].value"),
        (["authorization_details": [["type": "a"], ["type": "a"]]], "authorization_details[1].type"),
        (
            [
                "authorization_details": [
                    ["type": "a", "schema": ["additionalProperties": false, "properties": ["b": [:]]]]
                ]
            ],
            #"additionalProperties is false, and properties has no "type""#
        ),
        (
            ["authorization_details": [["type": "a", "schema": ["properties": ["type": ["const": "b"]]]]]],
            #"at "/properties/type" const excludes "a""#
        ),
        (
            ["authorization_details": [["type": "a", "schema": ["x-translations": ["deutsch": ["title": "A"]]]]]],
            "deutsch, which is no language tag"
        ),
    ]

    @Test("unsupported values are refused with the property", arguments: wrong)
    func invalid(body: JSONObject, property: String) async throws {
        let fixture = try await ManagementFixture()
        let answer = await fixture.post(
            "/resource-servers", .object(body.completed(with: ["identifier": .string(Self.identifier)])))
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_body")
        #expect(answer.message.contains(property), "\(answer.message)")
    }

    @Test("identifiers are unique and do not change")
    func identity() async throws {
        let fixture = try await ManagementFixture()
        let id = try (try await created(fixture)["id"]?.stringValue).orThrow("no id")
        #expect(
            await fixture.post("/resource-servers", ["identifier": .string(Self.identifier)]).code
                == "resource_server_conflict")
        #expect(await fixture.patch("/resource-servers/\(id)", ["identifier": "other"]).status == 400)
        #expect(await fixture.patch("/resource-servers/\(id)", ["identifier": .string(Self.identifier)]).status == 200)
    }

    @Test("roles and users lose the scopes that an API loses")
    func withdrawal() async throws {
        let permission = Role.Permission(resourceServer: Samples.api, scope: "pay:send")
        let fixture = try await ManagementFixture { setup in
            setup.roles = [Role(id: RoleID("payer"), name: "Payer", description: "", permissions: [permission])]
            setup.users[0].permissions = [permission]
        }
        let path = "/resource-servers/\(PercentEncoding.encode(Samples.api))"
        #expect(await fixture.patch(path, ["scopes": [["value": "pay:read"]]]).status == 200)
        #expect(await fixture.get("/roles/payer/permissions").json == [])
        #expect(try await fixture.server.dump().filter { $0.contains("'dev'") && $0.contains("pay:send") }.isEmpty)
        #expect(await fixture.delete(path).status == 204)
        #expect(try fixture.server.entry.resourceServers[Samples.api] == nil)
    }

    @Test("removing an API ends its pending and approved requests and wakes held polls")
    func removalEndsRequests() async throws {
        let fixture = try await ManagementFixture()
        let phone = try await InProcessPhone(in: fixture.server)
        let client = InProcessClient(via: fixture.server)
        let pending = try await client.started(["audience": Samples.api])
        let allowed = try await client.started(["audience": Samples.api])
        let other = try await client.started()
        #expect(try await phone.decide(allowed).status == 204)
        async let held = client.poll(pending, wait: 60)
        while fixture.server.hub.waiting == 0 { await Task.yield() }
        #expect(await fixture.delete("/resource-servers/\(PercentEncoding.encode(Samples.api))").status == 204)
        #expect(try await held.code == "invalid_grant")
        #expect(try await client.poll(allowed).code == "invalid_grant")
        #expect(try await client.poll(other).code == "authorization_pending")
    }
}
