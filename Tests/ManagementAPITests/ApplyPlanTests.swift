import Administration
import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Management API: dry runs and versions of PUT /tenants/configuration")
struct ApplyPlanTests {
    private static let path = "/tenants/configuration"
    private static let reading = [
        "read:tenant_settings", "read:custom_domains", "read:resource_servers", "read:roles", "read:clients",
        "read:client_credentials", "read:client_grants", "read:connections", "read:guardian_factors",
        "read:email_provider", "read:email_templates", "read:users",
    ]
    private static let secrets = (
        right: "the-secret-that-the-client-has-now", wrong: "another-secret-that-somebody-guessed"
    )

    private let fixture: ManagementFixture

    init() async throws {
        fixture = try await ManagementFixture()
        let made = await fixture.put(Self.path, try await file { $0 = Self.with(Self.secrets.right, in: $0) })
        #expect(made.status == 200, "\(made.text)")
    }

    private func file(_ change: (inout JSONObject) -> Void = { _ in }) async throws -> JSONValue {
        let stored = await fixture.get(Self.path).json
        var tenant = try (stored["tenants"]?[0]?.objectValue).orThrow("no tenant")
        change(&tenant)
        return ["tenants": [.object(tenant)]]
    }

    /// An object of each kind that has a secret, with that one.
    private static func with(_ secret: String, in tenant: JSONObject) -> JSONObject {
        let text = JSONValue.string(secret)
        var tenant = tenant
        tenant["clients"] = [
            ["client_id": "shop", "name": "Shop", "client_secret": text, "grant_types": ["client_credentials"]]
        ]
        tenant["connections"] = [
            ["name": "Username-Password-Authentication", "strategy": "auth0"],
            [
                "name": "work", "strategy": "oidc",
                "options": ["issuer": "https://id.example/", "client_id": "us", "client_secret": text],
            ],
        ]
        tenant["email_provider"] = [
            "name": "smtp", "default_from_address": "a@b.example",
            "credentials": ["smtp_host": "127.0.0.1", "smtp_user": "u", "smtp_pass": text],
        ]
        tenant["users"] = [["user_id": "auth0|eve", "email": "eve@example.org", "password": text]]
        return tenant
    }

    private func changes(_ answer: HTTPAnswer) -> [JSONValue] {
        (answer["changes"]?.arrayValue ?? []).filter { $0["action"] != "unchanged" }
    }

    @Test("A dry run needs the scopes that read alone, and shows the same changes as with every scope")
    func reading() async throws {
        let reader = try await fixture.with(scopes: Self.reading)
        let changed = try await file { tenant in
            tenant["roles"] = [["id": "rol_new", "name": "New", "permissions": []]]
            tenant["name"] = "Another"
        }
        let before = try await fixture.server.dump()
        let shown = await reader.put(Self.path + "?dry_run=true&prune=true", changed)
        #expect(shown.status == 200 && changes(shown).count == 2, "\(shown.text)")
        #expect(shown.json == (await fixture.put(Self.path + "?dry_run=true&prune=true", changed)).json)
        #expect(try await fixture.server.dump() == before)
        let refused = await reader.put(Self.path, changed)
        #expect(refused.status == 403 && refused.message.contains("update:clients"), "\(refused.text)")
        #expect(!refused.message.contains("read:roles"))
        for missing in ["read:connections", "read:tenant_settings"] {
            let poorer = try await fixture.with(scopes: Self.reading.filter { $0 != missing })
            let answer = await poorer.put(Self.path + "?dry_run=true", changed)
            #expect(answer.status == 403 && answer.message.contains(missing), "\(answer.text)")
        }
        let blind = try await fixture.with(scopes: Self.reading.filter { $0 != "read:users" })
        #expect(await blind.put(Self.path + "?dry_run=true", changed).status == 200)
        let people = try await file { $0["users"] = [["user_id": "auth0|eve", "email": "eve@example.org"]] }
        let hidden = await blind.put(Self.path + "?dry_run=true", people)
        #expect(hidden.status == 403 && hidden.message.contains("read:users"), "\(hidden.text)")
    }

    @Test("Without every scope, the answer is the same for the stored secrets and for others, and names them")
    func secrets() async throws {
        let reader = try await fixture.with(scopes: Self.reading)
        let right = try await file { $0 = Self.with(Self.secrets.right, in: $0) }
        let wrong = try await file { $0 = Self.with(Self.secrets.wrong, in: $0) }
        let query = Self.path + "?dry_run=true"
        let shown = await reader.put(query, right)
        let guessed = await reader.put(query, wrong)
        #expect(shown.status == 200 && shown.json == guessed.json, "\(shown.text)")
        #expect(changes(shown) == [], "\(shown.text)")
        let named = (shown["changes"]?.arrayValue ?? []).compactMap { change in
            change["not_compared"]?.stringsValue.map { "\(change["kind"]?.stringValue ?? "") \($0.joined())" }
        }
        #expect(
            named.sorted() == [
                "client client_secret", "connection options.client_secret", "email-provider credentials.smtp_pass",
                "user password",
            ] || named.count == 4, "\(named)")
        // An administrator learns which differ.
        #expect(changes(await fixture.put(query, right)) == [])
        let different = await fixture.put(query, wrong)
        #expect(changes(different).count == 4, "\(different.text)")
        #expect(!different.text.contains("not_compared"))
    }

    @Test("A file applies to the version that was read alone, and every change makes another version")
    func versions() async throws {
        let document = try await file { $0["name"] = "First" }
        let read = try (await fixture.get(Self.path).fields["ETag"]).orThrow("no version")
        let shown = await fixture.put(Self.path + "?dry_run=true", document)
        #expect(shown.fields["ETag"] == read && read == "\"\(shown["version"]?.stringValue ?? "")\"")
        let first = await fixture.send(.put, Self.path, document, fields: ["If-Match": read])
        #expect(first.status == 200 && first.fields["ETag"] != read, "\(first.text)")
        #expect(await fixture.get(Self.path).fields["ETag"] == first.fields["ETag"])
        let before = try await fixture.server.dump()
        let second = try await file { $0["name"] = "Second" }
        let late = await fixture.send(.put, Self.path, second, fields: ["If-Match": read])
        #expect(late.status == 412 && late.code == "configuration_changed", "\(late.text)")
        #expect(late.message.contains("dry_run=true") && late["error"] == "Precondition Failed")
        #expect(await fixture.send(.put, Self.path + "?dry_run=true", second, fields: ["If-Match": read]).status == 412)
        #expect(try await fixture.server.dump() == before)
        for change in [
            await fixture.post("/roles", ["name": "Other"]), await fixture.send(.post, "/clients/shop/rotate-secret"),
            await fixture.patch("/emails/provider", ["enabled": false]),
        ] {
            #expect((200..<300).contains(change.status), "\(change.text)")
            let tag = try (first.fields["ETag"]).orThrow("no version")
            #expect(await fixture.send(.put, Self.path, second, fields: ["If-Match": tag]).status == 412)
        }
        let now = try (await fixture.get(Self.path).fields["ETag"]).orThrow("no version")
        _ = await fixture.patch("/users/auth0%7Ceve", ["name": "Eve"])
        #expect(await fixture.get(Self.path).fields["ETag"] == now)
    }

    @Test(
        "If-Match is a list, a star or refused, and a weak version matches none",
        arguments: [
            ("*", 200), ("\"0\", VERSION", 200), ("W/VERSION", 412), ("\"0\"", 412), ("0", 400), ("VERSION,", 200),
            ("", 400),
        ])
    func conditions(field: String, status: Int) async throws {
        let version = try (await fixture.get(Self.path).fields["ETag"]).orThrow("no version")
        let answer = await fixture.send(
            .put, Self.path + "?dry_run=true", try await file(),
            fields: ["If-Match": field.replacing("VERSION", with: version)])
        #expect(answer.status == status, "\(answer.text)")
    }
}
