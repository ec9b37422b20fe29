import AuthorizationCore
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport

/// A tenant with two users who have the same belongings. Ann is an administrator with every scope, and Bob has no rights.
struct StrongerPersonFixture {
    /// A user with what belongs to them.
    struct Person: Sendable {
        let name: String
        let phone: String
        let key: String
        let grant: String

        var id: String { "auth0|\(name)" }
        var email: String { "\(name)@example.org" }
        var path: String { "/users/auth0%7C\(name)" }
        var session: String { "sid-\(name)" }
        var token: String { "authorization-\(name)" }
        var account: String { "\(name)-at-work" }
    }

    static let chief = RoleID("rol_chief")
    static let plain = RoleID("rol_plain")
    /// Nobody has it, and it permits nothing.
    static let other = RoleID("rol_other")
    static let ownScopes = Set(ResourceServer.managementScopes)

    let management: ManagementFixture
    let ann: Person
    let bob: Person
    let connection: String
    let database: String

    /// `scopes` are those of Ann's role.
    init(scopes: Set<String> = ownScopes) async throws {
        management = try await ManagementFixture { setup in
            setup.clients.append(Samples.app())
            setup.apis = [try Samples.resourceServer { $0.allowsOfflineAccess = true }]
            setup.connections = [.defaultDatabase]
            let permissions = scopes.map { Role.Permission(resourceServer: ManagementFixture.audience, scope: $0) }
            setup.roles = [
                Role(id: Self.chief, name: "Chief", description: "", permissions: Set(permissions)),
                Role(id: Self.other, name: "Other", description: "", permissions: []),
                Role(
                    id: Self.plain, name: "Plain", description: "",
                    permissions: [Role.Permission(resourceServer: Samples.api, scope: "pay:read")]),
            ]
            for (index, name) in ["ann", "bob"].enumerated() {
                setup.users[index].email = EmailAddress(parsing: "\(name)@example.org")
                setup.users[index].roles = index == 0 ? [Self.chief, Self.plain] : [Self.plain]
                setup.users[index].permissions = [Role.Permission(resourceServer: Samples.api, scope: "pay:read")]
                setup.passwords[setup.users[index].id] = "a long pass phrase"
            }
        }
        let options: JSONValue = ["issuer": "https://id.example/", "client_id": "us", "client_secret": "s"]
        let made = await management.post("/connections", ["name": "work", "strategy": "oidc", "options": options])
        connection = try (made["id"]?.stringValue).orThrow(made.text)
        let known = await management.get("/connections?strategy=auth0")
        database = try (known.json[0]?["id"]?.stringValue).orThrow(known.text)
        ann = try await Self.person("ann", management)
        bob = try await Self.person("bob", management)
    }

    private static func person(_ name: String, _ fixture: ManagementFixture) async throws -> Person {
        let server = fixture.server
        let code = try await server.code(name) {
            $0.user = "auth0|\(name)"
            $0.consents = true
        }
        let tokens = await server.send(
            .form(
                "/oauth/token",
                [
                    "grant_type": "authorization_code", "client_id": "app", "code": code,
                    "redirect_uri": Samples.callback, "code_verifier": Samples.verifier,
                ]))
        guard tokens.status == 200 else { throw Unexpected(tokens.text) }
        let phone = try await InProcessPhone(UserID("auth0|\(name)"), identifier: "PHONE-\(name)", in: server)
        let path = "/users/auth0%7C\(name)"
        let account: JSONValue = ["provider": "work", "user_id": .string("\(name)-at-work")]
        let linked = await fixture.post("\(path)/identities", account)
        guard linked.status == 201 else { throw Unexpected(linked.text) }
        _ = await fixture.send(.post, "\(path)/recovery-code-regeneration")
        let key = await fixture.post(
            "/device-credentials",
            [
                "type": "public_key", "device_name": "Kiosk", "device_id": "kiosk", "value": "MIIB",
                "user_id": .string("auth0|\(name)"),
            ])
        let grants = await fixture.get("/grants?user_id=auth0%7C\(name)")
        return Person(
            name: name, phone: phone.id.rawValue, key: try (key["id"]?.stringValue).orThrow(key.text),
            grant: try (grants.json[0]?["id"]?.stringValue).orThrow(grants.text))
    }
}
