import Administration
import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Management API: PUT /tenants/configuration")
struct ApplyFileTests {
    private static let path = "/tenants/configuration"

    /// The stored file, changed.
    private func file(
        _ fixture: ManagementFixture, _ change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> JSONValue {
        let stored = await fixture.get(Self.path).json
        var tenant = try (stored["tenants"]?[0]?.objectValue).orThrow("no tenant")
        change(&tenant)
        return ["tenants": [.object(tenant)]]
    }

    private func actions(_ answer: HTTPAnswer) -> [String] {
        (answer["changes"]?.arrayValue ?? []).compactMap { change in
            guard let action = change["action"]?.stringValue, action != "unchanged" else { return nil }
            return "\(action) \(change["kind"]?.stringValue ?? "") \(change["name"]?.stringValue ?? "")"
        }
    }

    private static let role: JSONObject = [
        "id": "rol_new", "name": "New", "permissions": [],
    ]

    @Test("The stored file changes nothing, and a changed one what differs, once")
    func apply() async throws {
        let fixture = try await ManagementFixture()
        // The first file makes the keys that the fixture lacks.
        _ = await fixture.put(Self.path, try await file(fixture))
        let same = await fixture.put(Self.path, try await file(fixture))
        #expect(same.status == 200, "\(same.text)")
        #expect(actions(same) == [], "\(same.text)")
        let changed = try await file(fixture) { tenant in
            tenant["roles"] = .array((tenant["roles"]?.arrayValue ?? []) + [.object(Self.role)])
        }
        let before = try await fixture.server.dump()
        let dry = await fixture.put(Self.path + "?dry_run=true", changed)
        #expect(actions(dry) == ["created role rol_new"], "\(dry.text)")
        #expect(try await fixture.server.dump() == before)
        let done = await fixture.put(Self.path, changed)
        #expect(done["changes"] == dry["changes"])
        #expect(await fixture.get("/roles/rol_new").status == 200)
        #expect(actions(await fixture.put(Self.path, changed)) == [])
        let entry = await fixture.get("/logs?q=type:configuration_applied").json[0]
        #expect(entry?["client_id"] == "operator", "\(String(describing: entry))")
    }

    @Test("prune removes what the file does not name, and an error anywhere changes nothing")
    func prune() async throws {
        let fixture = try await ManagementFixture()
        _ = await fixture.put(
            Self.path, try await file(fixture) { $0["roles"] = [.object(Self.role)] })
        let pruned = await fixture.put(
            Self.path + "?prune=true&dry_run=true", try await file(fixture) { $0["roles"] = [] })
        #expect(actions(pruned).contains("removed role rol_new"), "\(pruned.text)")
        let before = try await fixture.server.dump()
        let wrong = await fixture.put(
            Self.path,
            try await file(fixture) { tenant in
                tenant["name"] = "Another"
                tenant["apis"] = [["identifier": 4711]]
            })
        #expect(
            wrong.code == "invalid_body" && wrong.message.contains("tenants[0].apis[0].identifier"), "\(wrong.text)")
        #expect(try await fixture.server.dump() == before)
    }

    @Test("Another tenant, hosts, and sources that only a command has are refused")
    func operators() async throws {
        let fixture = try await ManagementFixture()
        let before = try await fixture.server.dump()
        let changes: [(String, @Sendable (inout JSONObject) -> Void)] = [
            ("alone", { $0["id"] = "other" }),
            (
                "host",
                {
                    $0["host"] = "evil.example"
                    $0["clients"] = nil
                }
            ),
            ("custom_domains", { $0["custom_domains"] = ["evil.example"] }),
            (
                "client_secret",
                {
                    $0["clients"] = [
                        ["client_id": "x", "name": "X", "client_secret": ["file": "/etc/shadow"], "grant_types": []]
                    ]
                }
            ),
            (
                "may be at most",
                { $0["settings"] = ["pending_requests": .number(JSONNumber(TenantCeilings().pendingRequests + 1))] }
            ),
            (
                "passwords",
                {
                    $0["users"] = .array(
                        (0...ApplyTenantFile.passwordLimit).map {
                            ["user_id": .string("auth0|p\($0)"), "password": "wide river under snow"]
                        })
                }
            ),
        ]
        for (reason, change) in changes {
            let refused = await fixture.put(Self.path, try await file(fixture, change))
            #expect(refused.status == 400 && refused.message.contains(reason), "\(reason): \(refused.text)")
        }
        let two = await fixture.put(Self.path, ["tenants": [["id": "dev"], ["id": "other"]]])
        #expect(two.code == "invalid_body")
        #expect(try await fixture.server.dump() == before)
    }

    @Test("It needs every scope, and the refusal names the missing ones alone")
    func scopes() async throws {
        let fixture = try await ManagementFixture()
        let document = try await file(fixture)
        let all = ResourceServer.managementScopes
        for missing in ["update:client_keys", "create:users", "update:approval_evidence"] {
            let poorer = try await fixture.with(scopes: all.filter { $0 != missing })
            let refused = await poorer.put(Self.path, document)
            #expect(refused.status == 403 && refused.code == "insufficient_scope")
            #expect(refused.message.contains(missing) && !refused.message.contains("read:roles"), "\(refused.text)")
        }
    }

    @Test("Passwords of its users are checked as those of single requests are")
    func passwords() async throws {
        let fixture = try await ManagementFixture()
        for member in ["password", "initial_password"] {
            let document = try await file(fixture) { tenant in
                tenant["users"] = [["user_id": "auth0|new", "email": "new@example.org", member: "password"]]
            }
            let before = try await fixture.server.dump()
            let refused = await fixture.put(Self.path, document)
            #expect(refused.status == 400 && refused.message.contains("users[0].\(member)"), "\(refused.text)")
            #expect(refused.message.contains("PasswordStrengthError"), "\(refused.text)")
            #expect(try await fixture.server.dump() == before)
        }
    }
}
