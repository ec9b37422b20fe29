import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Management API: connections")
struct ConnectionTests {
    private static let options: JSONValue = [
        "issuer": "https://id.example.com/", "client_id": "countersign", "client_secret": "what the provider gave",
        "icon_url": "https://id.example.com/icon.png",
    ]

    private func created(_ fixture: ManagementFixture, _ members: JSONObject = [:]) async throws -> JSONObject {
        let preset: JSONObject = ["name": "staff", "strategy": "oidc", "options": Self.options]
        let body = preset.patched(with: members)
        let answer = await fixture.post("/connections", .object(body))
        #expect(answer.status == 201, "\(answer.text)")
        return try (answer.json.objectValue).orThrow("no object")
    }

    private func id(_ connection: JSONObject) throws -> String { try (connection["id"]?.stringValue).orThrow("no id") }

    @Test("a connection is created without showing its secret, changed, listed and removed")
    func life() async throws {
        let fixture = try await ManagementFixture()
        let connection = try await created(fixture, ["show_as_button": true])
        let id = try id(connection)
        #expect(id.hasPrefix("con_") && id.count == 20)
        #expect(connection["options"]?["client_secret"] == nil)
        #expect(connection["options"]?["icon_url"] == "https://id.example.com/icon.png")
        #expect(connection["show_as_button"] == true)
        #expect(connection["realms"] == ["staff"])
        #expect(connection["enabled_clients"] == [])
        #expect(await fixture.get("/connections/\(id)").json == .object(connection.patched(with: ["warnings": nil])))
        let stored = try fixture.server.entry.connections.first { $0.name == "staff" }?.upstream?.sealedSecret
        let changed = await fixture.patch(
            "/connections/\(id)",
            [
                "options": ["issuer": "https://id.example.com/", "client_id": "countersign", "scope": "openid"],
                "display_name": "Staff",
            ])
        #expect(changed.status == 200, "\(changed.text)")
        #expect(changed["options"]?["icon_url"] == nil)
        #expect(changed["options"]?["scope"] == "openid")
        let kept = try fixture.server.entry.connections.first { $0.name == "staff" }?.upstream?.sealedSecret
        #expect(kept == stored)
        #expect(kept?.isEmpty == false)
        let list = await fixture.get("/connections?include_totals=true").json
        #expect(list["total"] == 2, "the default database stays: \(list)")
        #expect(await fixture.get("/connections?strategy=oidc").json.arrayValue?.count == 1)
        #expect(await fixture.get("/connections?name=staff&take=10")["connections"]?[0]?["id"] == .string(id))
        let removed = await fixture.delete("/connections/\(id)")
        #expect(removed.status == 202)
        #expect(removed["deleted_at"]?.stringValue?.hasSuffix("Z") == true)
        #expect(await fixture.get("/connections/\(id)").code == "inexistent_connection")
        #expect(try await !fixture.server.auditText().contains("what the provider gave"))
    }

    private static let places: [(strategy: String, options: JSONObject, changes: [JSONObject])] = [
        (
            "oidc", ["issuer": "https://id.example.com/", "client_id": "us"],
            [
                ["issuer": "https://id.example.org/"], ["client_id": "them"],
                ["token_endpoint_auth_method": "client_secret_post"],
            ]
        ),
        (
            "oauth2",
            [
                "authorization_url": "https://a.example/", "token_url": "https://t.example/", "client_id": "us",
                "userinfo_url": "https://u.example/", "token_endpoint_auth_method": "client_secret_basic",
            ],
            [
                ["token_url": "https://evil.example/"], ["authorization_url": "https://evil.example/"],
                ["userinfo_url": "https://evil.example/"], ["emails_url": "https://evil.example/"],
                ["client_id": "them"], ["token_endpoint_auth_method": "client_secret_post"],
                ["token_endpoint_auth_method": nil],
            ]
        ),
        (
            "github", ["client_id": "us"],
            [["url": "https://ghe.example"], ["api_url": "https://evil.example"], ["client_id": "them"]]
        ),
    ]

    @Test("Changing a connection's addresses, client or authentication method requires the provider's secret")
    func secretStays() async throws {
        let fixture = try await ManagementFixture()
        for (strategy, options, changes) in Self.places {
            var whole = options
            whole["client_secret"] = "what the provider gave"
            let made = try await created(
                fixture, ["name": .string(strategy), "strategy": .string(strategy), "options": .object(whole)])
            let path = "/connections/\(try id(made))"
            for change in changes {
                let before = try await fixture.server.dump()
                let other = options.patched(with: change)
                let refused = await fixture.patch(path, ["options": .object(other)])
                #expect(refused.status == 400, "\(strategy) \(change): \(refused.text)")
                #expect(refused.message.contains("options.client_secret"), "\(refused.message)")
                #expect(try await fixture.server.dump() == before)
                var known = other
                known["client_secret"] = "what the provider gave"
                let changed = await fixture.patch(path, ["options": .object(known)])
                #expect(changed.status == 200, "\(strategy) \(change): \(changed.text)")
                #expect(await fixture.patch(path, ["options": .object(whole)]).status == 200)
            }
            #expect(await fixture.patch(path, ["options": .object(options)]).status == 200, "nothing of it changes")
        }
    }

    @Test("scopes may be a list or a text, and discovery_url may replace the issuer")
    func spellings() async throws {
        let fixture = try await ManagementFixture()
        let github = try await created(
            fixture,
            [
                "name": "github", "strategy": "github",
                "options": ["client_id": "a", "client_secret": "b", "scope": ["user:email", "read:user"]],
            ])
        #expect(github["options"]?["scope"] == "user:email read:user")
        let document = "https://id.example.com/.well-known/openid-configuration"
        let derived = await fixture.post(
            "/connections",
            [
                "name": "derived", "strategy": "oidc",
                "options": ["client_id": "a", "client_secret": "b", "discovery_url": .string(document)],
            ])
        #expect(derived["options"]?["issuer"] == "https://id.example.com")
        var options = Self.options.objectValue ?? [:]
        options["discovery_url"] = .string(document)
        let both = try await created(fixture, ["name": "both", "options": .object(options)])
        #expect(both["options"]?["issuer"] == "https://id.example.com/")
    }

    @Test("a client lists only its enabled connections")
    func ofClient() async throws {
        let fixture = try await ManagementFixture()
        let staff = try await created(fixture, ["enabled_clients": ["operator"]])
        func names(_ path: String) async -> [String] {
            let listed = await fixture.get("/clients/\(path)").json["connections"]?.arrayValue ?? []
            return listed.compactMap { $0["name"]?.stringValue }
        }
        #expect(await names("operator/connections") == ["Username-Password-Authentication", "staff"])
        #expect(await names("operator/connections?strategy=oidc") == ["staff"])
        #expect(await names("agent/connections") == ["Username-Password-Authentication"])
        #expect(await fixture.get("/clients/operator/connections?take=1").json["next"]?.stringValue != nil)
        #expect(await fixture.get("/clients/nobody/connections").code == "inexistent_client")
        #expect(staff["enabled_clients"] == ["operator"])
    }

    @Test("a tenant keeps at least one connection, and has only one database")
    func last() async throws {
        let fixture = try await ManagementFixture()
        let only = try (await fixture.get("/connections").json[0]?.objectValue).orThrow("no connection")
        #expect(only["strategy"] == "auth0")
        #expect(await fixture.delete("/connections/\(try id(only))").code == "operation_not_supported")
        #expect(await fixture.post("/connections", ["name": "second", "strategy": "auth0"]).status == 400)
        let changed = await fixture.patch("/connections/\(try id(only))", ["options": ["disable_signup": true]])
        #expect(changed["options"]?["disable_signup"] == true, "\(changed.text)")
        let named = await fixture.patch("/connections/\(try id(only))", ["options": ["requires_username": true]])
        #expect(named["options"] == ["disable_signup": false, "requires_username": true], "\(named.text)")
    }

    private static let wrong: [(body: JSONObject, property: String)] = [
        (["name": "a b"], "name"), (["strategy": "samlp"], "strategy"), (["enabled_clients": ["nobody"]], "nobody"),
        (["options": ["issuer": "https://a.example/", "client_id": "a"]], "options.client_secret"),
        (["options": ["client_id": "a", "client_secret": "b"]], "options.issuer"),
        (
            ["options": ["client_id": "a", "client_secret": "b", "discovery_url": "https://a.example/"]],
            "discovery_url"
        ),
        (
            [
                "options": [
                    "client_id": "a", "client_secret": "b", "issuer": "https://b.example/",
                    "discovery_url": "https://a.example/.well-known/openid-configuration",
                ]
            ], "options.discovery_url"
        ),
        (["options": ["client_id": "a", "client_secret": "b", "scope": [5]]], "options.scope"),
    ]

    @Test("unsupported values are refused with the property", arguments: wrong)
    func invalid(body: JSONObject, property: String) async throws {
        let fixture = try await ManagementFixture()
        var whole: JSONObject = ["name": "staff", "strategy": "oidc", "options": Self.options]
        for (name, value) in body { whole[name] = value }
        let answer = await fixture.post("/connections", .object(whole))
        #expect(answer.status == 400)
        #expect(answer.message.contains(property), "\(answer.message)")
    }

    @Test("names are unique, and names and strategies do not change")
    func identity() async throws {
        let fixture = try await ManagementFixture()
        let id = try id(try await created(fixture))
        let again = await fixture.post("/connections", ["name": "staff", "strategy": "oidc", "options": Self.options])
        #expect(again.code == "connection_conflict")
        #expect(await fixture.patch("/connections/\(id)", ["name": "other"]).status == 400)
        #expect(await fixture.patch("/connections/\(id)", ["strategy": "oauth2"]).status == 400)
        #expect(await fixture.patch("/connections/\(id)", ["name": "staff", "strategy": "oidc"]).status == 200)
    }

    @Test("clients are enabled and disabled")
    func clients() async throws {
        let fixture = try await ManagementFixture()
        let id = try id(try await created(fixture, ["enabled_clients": ["second"]]))
        let path = "/connections/\(id)/clients"
        #expect(await fixture.get(path).json == ["clients": [["client_id": "second"]]])
        let changed = await fixture.patch(
            path, [["client_id": "agent", "status": true], ["client_id": "second", "status": false]])
        #expect(changed.status == 204, "\(changed.text)")
        #expect(await fixture.get(path).json == ["clients": [["client_id": "agent"]]])
        #expect(await fixture.patch(path, [["client_id": "nobody", "status": true]]).status == 400)
        #expect(await fixture.delete("/clients/agent").status == 204)
        #expect(await fixture.get(path).json == ["clients": []])
    }

    @Test("only a user of the connection is removed by address")
    func users() async throws {
        let fixture = try await ManagementFixture { setup in setup.users[0].email = "ann@bücher.example" }
        let staff = try id(try await created(fixture))
        let database = try (await fixture.get("/connections?strategy=auth0").json[0]?.objectValue).orThrow(
            "no database")
        func found() async throws -> Int { try await fixture.server.dump().filter { $0.hasPrefix("user:") }.count }
        let before = try await found()
        #expect(await fixture.delete("/connections/\(staff)/users?email=ann@xn--bcher-kva.example").status == 204)
        #expect(try await found() == before)
        let page = "/connections/\(try id(database))/users"
        #expect(await fixture.delete("\(page)?email=ann%40b%40example.com").status == 204)
        #expect(try await found() == before, "a text that is no address names nobody")
        #expect(await fixture.delete("\(page)?email=Ann@B%C3%BCcher.example").status == 204)
        #expect(try await found() == before - 1)
        #expect(await fixture.delete(page).code == "invalid_query_string")
    }

    // MARK: the server that people are moved from

    private static let oldServer: JSONObject = [
        "url": "https://old.example/users", "secret": "what the endpoint asks for, 32 bytes", "timeout": 3,
        "members": ["name", "app_metadata"],
    ]

    private func database(_ fixture: ManagementFixture) async throws -> String {
        "/connections/\(try id(try (await fixture.get("/connections?strategy=auth0").json[0]?.objectValue).orThrow("none")))"
    }

    @Test("an old server is named without showing its secret, which a new address requires again")
    func oldServer() async throws {
        let fixture = try await ManagementFixture()
        let path = try await database(fixture)
        func patch(_ change: JSONObject) async -> HTTPAnswer {
            await fixture.patch(path, ["options": ["old_server": .object(Self.oldServer.patched(with: change))]])
        }
        let without = await patch(["secret": nil])
        #expect(without.status == 400 && without.message.contains("options.old_server.secret"), "\(without.text)")
        let made = await patch([:])
        #expect(made.status == 200, "\(made.text)")
        #expect(made["options"]?["old_server"] == .object(Self.oldServer.patched(with: ["secret": nil])))
        func sealed() throws -> [UInt8]? {
            try fixture.server.entry.connections.first(where: \.isDatabase)?.sealedSecret
        }
        let before = try sealed()
        #expect(before?.isEmpty == false)
        #expect(await patch(["secret": nil, "timeout": 4]).status == 200)
        #expect(try sealed() == before)
        #expect(await patch(["secret": nil, "url": "https://evil.example/"]).status == 400)
        #expect(await patch(["secret": "another secret of thirty-two bytes or so"]).status == 200)
        #expect(try sealed() != before)
        #expect(await fixture.patch(path, ["display_name": "People"])["options"]?["old_server"]?["timeout"] == 3)
        let ended = await fixture.patch(path, ["options": ["disable_signup": true]])
        #expect(ended["options"] == ["disable_signup": true])
        let log = try await fixture.server.auditText()
        #expect(log.contains("options.old_server.secret"))
        #expect(!log.contains("32 bytes") && !log.contains("another secret"))
    }

    @Test(
        "unfit values of an old server are refused with the property",
        arguments: [
            ("url", "http://old.example/"), ("url", "https://ann:secret@old.example/"), ("url", nil),
            ("secret", "too short"), ("timeout", 0), ("timeout", 11), ("members", ["roles"]), ("roles", ["admin"]),
        ] as [(String, JSONValue)])
    func wrongOldServer(member: String, value: JSONValue) async throws {
        let fixture = try await ManagementFixture()
        let answer = await fixture.patch(
            try await database(fixture),
            ["options": ["old_server": .object(Self.oldServer.patched(with: [member: value]))]])
        #expect(answer.status == 400)
        #expect(answer.message.contains("options.old_server.\(member)"), "\(answer.text)")
    }
}
