import Administration
import AuthorizationCore
import Flows
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Management API: users")
struct UserTests {
    static let database: JSONValue = .string(LoginConnection.defaultDatabaseName)

    static func created(_ fixture: ManagementFixture, _ document: JSONObject) async throws -> String {
        var body = document
        if body["connection"] == nil { body["connection"] = database }
        let answer = await fixture.post("/users", .object(body))
        #expect(answer.status == 201, "\(answer.text)")
        return try (answer["user_id"]?.stringValue).orThrow("no user: \(answer.text)")
    }

    static func path(_ id: String) -> String { "/users/\(PercentEncoding.encode(id))" }

    @Test("a user is created with derived values, shown, found by address, changed and removed")
    func life() async throws {
        let fixture = try await ManagementFixture()
        let answer = await fixture.post(
            "/users", ["connection": Self.database, "email": "Eve@Example.COM", "password": "wide river under snow"])
        #expect(answer.status == 201)
        let id = try (answer["user_id"]?.stringValue).orThrow(answer.text)
        #expect(id.hasPrefix("auth0|") && id.count == 30)
        #expect(answer["email"] == "eve@example.com")
        #expect(answer["email_verified"] == false)
        #expect(answer["name"] == "eve@example.com")
        #expect(answer["nickname"] == "eve")
        #expect(answer["picture"] == nil, "no service for pictures is told of the user")
        #expect(answer["logins_count"] == 0)
        #expect(answer["password"] == nil)
        #expect(
            answer["identities"] == [
                [
                    "connection": Self.database, "user_id": .string(String(id.dropFirst(6))), "provider": "auth0",
                    "isSocial": false,
                ]
            ])
        #expect(await fixture.get(Self.path(id)).json == answer.json)
        #expect(await fixture.get(Self.path(id) + "?fields=email").json == ["email": "eve@example.com"])
        let found = await fixture.get("/users-by-email?email=EVE@example.com&fields=user_id").json
        #expect(found == [["user_id": .string(id)]])
        fixture.server.advance(.seconds(5))
        let changed = await fixture.patch(Self.path(id), ["name": "Eve", "nickname": nil, "email_verified": true])
        #expect(changed.status == 200)
        #expect(changed["name"] == "Eve")
        #expect(changed["nickname"] == nil)
        #expect(changed["email_verified"] == true)
        #expect(changed["updated_at"] != answer["updated_at"])
        #expect(changed["created_at"] == answer["created_at"])
        #expect(await fixture.delete(Self.path(id)).status == 204)
        #expect(await fixture.delete(Self.path(id)).status == 204)
        let gone = await fixture.get(Self.path(id))
        #expect(gone.status == 404)
        #expect(gone.code == "inexistent_user")
        #expect(gone.message == "The user does not exist.")
        #expect(try await fixture.server.auditKinds().suffix(3) == ["sapi", "sapi", "sapi"])
        #expect(try await !fixture.server.auditText().contains("wide river"))
    }

    /// Spellings of one address.
    static let spellings = ["eve@bücher.example", "EVE@Bu\u{308}cher.example", "eve@xn--bcher-kva.example"]

    @Test("RFC 5890 2.3.2.1: an address names the same user with A-labels and with U-labels", arguments: spellings)
    func internationalized(created: String) async throws {
        let fixture = try await ManagementFixture()
        let id = try await Self.created(fixture, ["email": .string(created), "password": "wide river under snow"])
        let folded: JSONValue = "eve@xn--bcher-kva.example"
        #expect(await fixture.get(Self.path(id))["email"] == folded)
        for text in Self.spellings {
            let query = PercentEncoding.encode(text)
            let found: JSONValue = [["user_id": .string(id)]]
            #expect(await fixture.get("/users-by-email?email=\(query)&fields=user_id").json == found)
            let search = PercentEncoding.encode("email:\"\(text)\"")
            #expect(await fixture.get("/users?q=\(search)&fields=user_id").json == found)
            #expect(await fixture.get("/user-blocks?identifier=\(query)").status == 200)
            #expect(await fixture.post("/tickets/password-change", ["email": .string(text)]).status == 201)
            let patched = await fixture.patch(Self.path(id), ["email": .string(text), "email_verified": true])
            #expect(patched.status == 200 && patched["email"] == folded)
            let taken = await fixture.post(
                "/users", ["connection": Self.database, "email": .string(text), "password": "wide river under snow"])
            #expect(taken.status == 409, "\(taken.text)")
        }
        let domain = PercentEncoding.encode("email.domain:bücher.example")
        #expect(await fixture.get("/users?q=\(domain)&fields=email").json == [["email": folded]])
    }

    @Test("a text that is no address names nobody")
    func noAddress() async throws {
        let fixture = try await ManagementFixture()
        #expect(await fixture.get("/users-by-email?email=a%40b%40example.org").json == [])
        for text in ["a@corp.example,evil@example.org", "a\u{202E}@example.org", "zoë@example.org"] {
            let answer = await fixture.post("/tickets/password-change", ["email": .string(text)])
            #expect(answer.status == 400, "\(answer.text)")
        }
    }

    @Test("an id may be chosen, with or without its prefix, and is unique")
    func ids() async throws {
        let fixture = try await ManagementFixture()
        #expect(try await Self.created(fixture, ["user_id": "seven", "email": "a@x.org"]) == "auth0|seven")
        #expect(try await Self.created(fixture, ["user_id": "auth0|eight", "username": "Eight"]) == "auth0|eight")
        let taken = await fixture.post("/users", ["connection": Self.database, "user_id": "seven", "email": "b@x.org"])
        #expect(taken.status == 409)
        #expect(taken.code == "user_exists")
        #expect(taken.message == "The user already exists.")
        let sameName = await fixture.post("/users", ["connection": Self.database, "username": "EIGHT"])
        #expect(sameName.status == 409)
    }

    @Test("concurrent creations with one address: one 201, all others 409")
    func concurrency() async throws {
        let fixture = try await ManagementFixture()
        let body: JSONValue = ["connection": Self.database, "email": "twin@example.com"]
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { await fixture.post("/users", body).status } }
            return await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 201 } == 1)
        #expect(statuses.count { $0 == 409 } == 7)
        #expect(await fixture.get("/users-by-email?email=twin@example.com").json.arrayValue?.count == 1)
    }

    private static let wrong: [(body: JSONObject, property: String)] = [
        (["email": "a@x.org"], "connection"),
        (["connection": "no-such", "email": "a@x.org"], "connection"),
        (["connection": database], "email"),
        (["connection": database, "email": "nobody"], "email"),
        (["connection": database, "email": "two@at@x.org"], "email"),
        (["connection": database, "email": "a@x.org", "password": "short"], "password"),
        (["connection": database, "email": "a@x.org", "password": "password123"], "password"),
        (["connection": database, "email": "a@x.org", "phone_number": "0791234567"], "phone_number"),
        (["connection": database, "username": "with blank"], "username"),
        (["connection": database, "username": "a@x.org"], "username"),
        (["connection": database, "email": "a@x.org", "user_id": "google|7"], "user_id"),
        (["connection": database, "email": "a@x.org", "roles": []], "roles"),
        (["connection": database, "email": "a@x.org", "user_metadata": ["a": "\u{0}"]], "user_metadata"),
    ]

    @Test("errors in a new user name the property", arguments: wrong)
    func invalid(body: JSONObject, property: String) async throws {
        let fixture = try await ManagementFixture()
        let before = try await fixture.server.dump()
        let answer = await fixture.post("/users", .object(body))
        #expect(answer.status == 400, "\(answer.text)")
        #expect(answer.code == "invalid_body")
        #expect(answer.message.contains(property), "\(answer.message)")
        #expect(try await fixture.server.dump() == before)
    }

    @Test("a patch for another user's address or name changes nothing")
    func conflicts() async throws {
        let fixture = try await ManagementFixture()
        _ = try await Self.created(fixture, ["email": "a@x.org", "username": "ann"])
        let second = try await Self.created(fixture, ["email": "b@x.org"])
        #expect(await fixture.patch(Self.path(second), ["email": "A@x.org"]).status == 409)
        #expect(await fixture.patch(Self.path(second), ["username": "Ann"]).status == 409)
        #expect(await fixture.patch(Self.path(second), ["email": nil]).status == 400)
        #expect(await fixture.patch(Self.path(second), ["connection": "elsewhere"]).status == 400)
        #expect(await fixture.patch(Self.path(second), ["username": "bea", "email": nil])["email"] == nil)
        #expect(await fixture.patch(Self.path("auth0|gone"), ["name": "X"]).status == 404)
    }

    @Test("a new address is unverified, unless the patch verifies it")
    func newAddress() async throws {
        let fixture = try await ManagementFixture()
        let id = try await Self.created(fixture, ["email": "a@x.org", "email_verified": true])
        #expect(await fixture.patch(Self.path(id), ["email": "A@x.org"])["email_verified"] == true)
        #expect(await fixture.patch(Self.path(id), ["email": "b@x.org"])["email_verified"] == false)
        let both = await fixture.patch(Self.path(id), ["email": "c@x.org", "email_verified": true])
        #expect(both["email_verified"] == true)
    }

    @Test("metadata are merged at their first level; null deletes")
    func metadata() async throws {
        let fixture = try await ManagementFixture()
        let id = try await Self.created(
            fixture,
            ["email": "a@x.org", "user_metadata": ["a": ["b": 1], "c": 2], "app_metadata": ["plan": "gold"]])
        let merged = await fixture.patch(Self.path(id), ["user_metadata": ["a": ["d": 3], "e": true, "c": nil]])
        #expect(merged["user_metadata"] == ["a": ["d": 3], "e": true])
        #expect(merged["app_metadata"] == ["plan": "gold"])
        let emptied = await fixture.patch(Self.path(id), ["user_metadata": nil])
        #expect(emptied["user_metadata"] == nil)
        #expect(emptied["app_metadata"] == ["plan": "gold"])
        let removed = await fixture.patch(Self.path(id), ["app_metadata": [:]])
        #expect(removed.status == 200)
        #expect(removed["app_metadata"] == nil, "an empty object takes all of it away")
    }

    @Test("update:users_app_metadata changes only app_metadata")
    func appMetadataScope() async throws {
        let fixture = try await ManagementFixture()
        let narrow = try await fixture.with(scopes: ["update:users_app_metadata"])
        #expect(await narrow.patch("/users/auth0%7Cann", ["app_metadata": ["plan": "gold"]]).status == 200)
        let refused = await narrow.patch("/users/auth0%7Cann", ["app_metadata": [:], "blocked": true])
        #expect(refused.status == 403)
        #expect(refused.code == "insufficient_scope")
        #expect(await narrow.get("/users/auth0%7Cann").status == 403)
    }

    @Test("a password is stored as its hash; a user of an upstream connection has none")
    func passwords() async throws {
        let fixture = try await ManagementFixture { $0.connections = [.defaultDatabase, try Self.upstream()] }
        let id = try await Self.created(fixture, ["email": "a@x.org", "password": "wide river under snow"])
        #expect(
            try await fixture.server.dump().contains { $0.contains(PlainPasswords.encoded("wide river under snow")) })
        #expect(await fixture.patch(Self.path(id), ["password": "a@x.org"]).status == 400)
        let changed = await fixture.patch(Self.path(id), ["password": "deep lake under ice"])
        #expect(changed.status == 200)
        #expect(changed["last_password_reset"] != nil)
        #expect(try await fixture.server.dump().contains { $0.contains(PlainPasswords.encoded("deep lake under ice")) })
        let upstream = try await Self.created(fixture, ["connection": "corp", "user_id": "77", "email": "a@x.org"])
        #expect(upstream == "corp|77")
        #expect(await fixture.get(Self.path(upstream))["identities"]?[0]?["isSocial"] == true)
        #expect(await fixture.patch(Self.path(upstream), ["password": "deep lake under ice"]).status == 400)
        #expect(await fixture.post("/users", ["connection": "corp", "email": "b@x.org"]).status == 400)
        #expect(await fixture.get("/users-by-email?email=a@x.org").json.arrayValue?.count == 2)
    }

    static func upstream() throws -> LoginConnection {
        let url = try EndpointURL("https://git.example").orThrow("no URL")
        return LoginConnection(
            name: "corp", displayName: "Corp",
            kind: .upstream(
                UpstreamProvider(
                    dialect: .github(url: url, apiURL: url), clientID: "c", sealedSecret: [], scope: "")))
    }

    @Test("offsets and checkpoints visit every user once")
    func listing() async throws {
        let fixture = try await ManagementFixture()
        for number in 0..<5 { _ = try await Self.created(fixture, ["email": .string("u\(number)@x.org")]) }
        let listed = await fixture.get("/users?include_totals=true&per_page=3&page=1&fields=user_id").json
        #expect(listed["total"] == 7)
        #expect(listed["start"] == 3)
        #expect(listed["users"]?.arrayValue?.count == 3)
        var ids: Set<String> = []
        var next: String? = ""
        while let from = next {
            let page = await fixture.get("/users?take=2" + (from.isEmpty ? "" : "&from=\(from)")).json
            for user in page["users"]?.arrayValue ?? [] { ids.insert(user["user_id"]?.stringValue ?? "") }
            next = page["next"]?.stringValue
        }
        #expect(ids.count == 7)
        #expect(!ids.contains("auth0|zoe"))
    }

    private static let searches: [(query: String, names: [String])] = [
        ("q=email:u1@*", ["u1@x.org"]), ("q=app_metadata.plan:gold&sort=email:-1", ["u2@x.org", "u0@x.org"]),
        ("q=NOT%20app_metadata.plan:gold%20AND%20_exists_:email", ["u1@x.org"]),
        ("connection=Username-Password-Authentication&q=email:u0*", ["u0@x.org"]), ("connection=corp", []),
        ("q=blocked:true%20OR%20email:%22U2@X.org%22&search_engine=v3", ["u2@x.org"]),
    ]

    @Test("users are found by search", arguments: searches)
    func search(query: String, names: [String]) async throws {
        let fixture = try await ManagementFixture()
        for number in 0..<3 {
            _ = try await Self.created(
                fixture,
                [
                    "email": .string("u\(number)@x.org"),
                    "app_metadata": number == 1 ? [:] : ["plan": "gold"],
                ])
        }
        let found = await fixture.get("/users?\(query)").json
        #expect(found.arrayValue?.compactMap { $0["email"]?.stringValue } == names, "\(found)")
    }

    private static let wrongSearches: [(query: String, texts: [String])] = [
        ("q=(email:a", ["property q", "unbalanced parenthesis"]),
        ("q=(email:a&connection=corp", ["unbalanced parenthesis"]),
        ("q=emial:a", ["unknown field emial", "did you mean email"]), ("sort=picture:1", ["property sort"]),
        ("take=2&from=nonsense", ["property from"]), ("per_page=101", ["per_page"]),
    ]

    @Test("errors in a search name the parameter", arguments: wrongSearches)
    func wrongSearch(query: String, texts: [String]) async throws {
        let answer = await (try await ManagementFixture()).get("/users?\(query)")
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_query_string")
        for text in texts { #expect(answer.message.contains(text), "\(answer.message)") }
    }

    @Test("a user of another tenant is neither visible nor changeable")
    func otherTenant() async throws {
        let fixture = try await ManagementFixture()
        let before = try await fixture.server.dump()
        let zoe = "/users/auth0%7Czoe"
        #expect(await fixture.get(zoe).status == 404)
        #expect(await fixture.patch(zoe, ["blocked": true]).status == 404)
        #expect(await fixture.delete(zoe).status == 204)
        #expect(await fixture.post("\(zoe)/permissions", ["permissions": [Self.permission]]).status == 404)
        #expect(try await fixture.server.dump() == before)
    }

    @Test("removing a user ends their requests: polls get invalid_grant at once")
    func removalEndsRequests() async throws {
        let fixture = try await ManagementFixture()
        _ = try await InProcessPhone(in: fixture.server)
        let client = InProcessClient(via: fixture.server)
        let request = try await client.started()
        #expect(try await client.poll(request).code == "authorization_pending")
        #expect(await fixture.delete("/users/auth0%7Cann").status == 204)
        fixture.server.advance(.seconds(10))
        #expect(try await client.poll(request).code == "invalid_grant")
        #expect(try await !fixture.server.dump().contains { $0.contains("auth0|ann") })
    }

    @Test("removing the user wakes a held poll")
    func removalWakesPolls() async throws {
        let fixture = try await ManagementFixture()
        _ = try await InProcessPhone(in: fixture.server)
        let client = InProcessClient(via: fixture.server)
        let request = try await client.started()
        async let held = client.poll(request, wait: 60)
        while fixture.server.hub.waiting == 0 { await Task.yield() }
        #expect(await fixture.delete("/users/auth0%7Cann").status == 204)
        #expect(try await held.code == "invalid_grant")
    }

    // MARK: roles and permissions

    static let permission: JSONValue = [
        "resource_server_identifier": .string(Samples.api), "permission_name": "pay:read",
    ]

    @Test("roles are assigned to a user and removed")
    func roles() async throws {
        let fixture = try await ManagementFixture()
        let role = await fixture.post("/roles", ["name": "Payments"])["id"]?.stringValue ?? ""
        let body: JSONValue = ["roles": [.string(role)]]
        let ann = "/users/auth0%7Cann"
        #expect(await fixture.post("\(ann)/roles", body).status == 204)
        #expect(await fixture.post("\(ann)/roles", body).status == 204)
        #expect(
            await fixture.get("\(ann)/roles").json == [["id": .string(role), "name": "Payments", "description": ""]])
        #expect(await fixture.get("\(ann)/effective-roles").json.arrayValue?.count == 1)
        #expect(await fixture.post("\(ann)/roles", ["roles": ["rol_none"]]).code == "inexistent_role")
        #expect(await fixture.post("/users/auth0%7Cgone/roles", body).code == "inexistent_user")
        #expect(await fixture.delete("\(ann)/roles", body).status == 204)
        #expect(await fixture.get("\(ann)/roles").json == [])
    }

    @Test("permissions list their sources")
    func permissions() async throws {
        let fixture = try await ManagementFixture()
        let role = await fixture.post("/roles", ["name": "Payments"])["id"]?.stringValue ?? ""
        let body: JSONValue = ["permissions": [Self.permission]]
        let ann = "/users/auth0%7Cann"
        #expect(await fixture.post("/roles/\(role)/permissions", body).status == 201)
        #expect(await fixture.post("\(ann)/roles", ["roles": [.string(role)]]).status == 204)
        #expect(await fixture.post("\(ann)/permissions", body).status == 201)
        let held = await fixture.get("\(ann)/permissions").json
        #expect(held.arrayValue?.count == 1)
        #expect(held[0]?["permission_name"] == "pay:read")
        #expect(held[0]?["resource_server_name"] == "Payments")
        #expect(
            held[0]?["sources"] == [
                ["source_id": "", "source_name": "", "source_type": "DIRECT"],
                ["source_id": .string(role), "source_name": "Payments", "source_type": "ROLE"],
            ])
        let elsewhere = await fixture.get("\(ann)/effective-permissions?resource_server_identifier=https://no.example/")
        #expect(elsewhere.json == [])
        #expect(await fixture.delete("\(ann)/permissions", body).status == 204)
        #expect(await fixture.get("\(ann)/permissions").json[0]?["sources"]?.arrayValue?.count == 1)
        let wrong: JSONValue = [
            "permissions": [["resource_server_identifier": .string(Samples.api), "permission_name": "fly"]]
        ]
        #expect(await fixture.post("\(ann)/permissions", wrong).status == 400)
    }
}
