@testable import Administration
import Audit
import AuthorizationCore
import Configuration
import JOSE
import Primitives
import TestSupport
import Testing

@Suite("Applying a configuration")
struct ApplyConfigurationTests {
    static let full = """
        {"tenants": [{
            "id": "dev", "name": "Dev", "host": "Dev.example:443", "custom_domains": ["login.example"],
            "apis": [{
                "identifier": "https://pay.example/", "name": "Pay", "signing_alg": "ES256",
                "scopes": [{"value": "pay:send", "description": "Pay"}, {"value": "pay:read"}],
                "authorization_details": [{"type": "payment", "schema": {"type": "object", "minProperties": 1}}]
            }],
            "roles": [{"id": "payer", "name": "Payer", "permissions": [
                {"resource_server_identifier": "https://pay.example/", "permission_name": "pay:send"}]}],
            "users": [
                {"user_id": "auth0|ann", "email": "Ann@example.org", "password": "correct horse", "roles": ["payer"]},
                {"user_id": "auth0|bob", "locale": "fr"}
            ],
            "clients": [{
                "client_id": "agent", "name": "Agent", "client_secret": {"env": "SECRET"},
                "grant_types": ["urn:openid:params:grant-type:ciba"],
                "client_grants": [{"audience": "https://pay.example/", "scope": ["pay:send"]}]
            }],
            "connections": [
                {"name": "Users", "strategy": "auth0"},
                {"name": "github", "strategy": "github", "enabled_clients": ["agent"],
                    "options": {"client_id": "gh", "client_secret": "gh-secret-one"}}
            ]
        }]}
        """

    private static let objects = [
        "tenant dev", "api https://pay.example/", "role payer", "client agent", "connection Users",
        "connection github", "user auth0|ann", "user auth0|bob",
    ]

    static func changing(_ from: String, _ to: String) -> String { full.replacing(from, with: to) }

    @Test("The first run creates everything, with a current and a next key of each algorithm in use")
    func created() async throws {
        let fixture = try await AdministrationFixture()
        let changes = try await fixture.apply.apply(
            try file(Self.full), prune: false, by: .account("jo"), now: Samples.start)
        #expect(
            changes.filter { $0.kind != "key" }.map { "\($0.kind) \($0.name)" } == Self.objects)
        #expect(changes.allSatisfy { $0.action == .created })
        let part = try #require(try await fixture.part())
        #expect(part.tenant.hosts == ["dev.example", "login.example"])
        #expect(
            Set(part.signingKeys.map { "\($0.algorithm.rawValue) \($0.status.rawValue)" })
                == ["RS256 current", "RS256 next", "ES256 current", "ES256 next"])
        #expect(try await fixture.user("auth0|ann")?.email == "ann@example.org")
        let logged = try await fixture.made.database.auditLog("configuration_applied")
        #expect(logged.compactMap(\.object) == changes.map { "\($0.kind) \($0.name)" }, "each object has an entry")
        #expect(logged.allSatisfy { $0.actor == "account:jo" && $0.details == #"{"action":"created"}"# })
        #expect(
            part.clients[0].secretHashes
                == [Samples.hashing.sha256(Array("environment-secret-of-32-bytes-or-more".utf8))])
    }

    @Test("The second run changes nothing: no version, audit entry, key or hash")
    func idempotent() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        let version = try await fixture.store.version()
        let hash = try await fixture.passwordHash("auth0|ann")
        let later = Samples.start + .seconds(100)
        let logged = try await fixture.made.database.auditLog("configuration_applied")
        let changes = try await fixture.apply.apply(
            try file(Self.full, now: later), prune: true, by: .account("jo"), now: later)
        #expect(changes.map { "\($0.kind) \($0.name)" } == Self.objects)
        #expect(changes.allSatisfy { $0.action == .unchanged && $0.fields.isEmpty })
        #expect(try await fixture.store.version() == version)
        #expect(try await fixture.made.database.auditLog("configuration_applied") == logged)
        #expect(try await fixture.passwordHash("auth0|ann") == hash)
        #expect(try await fixture.user("auth0|ann")?.updatedAt == Samples.start)
    }

    @Test("A new password or a block in the file ends the user's sessions and notifies their clients")
    func endedSessions() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        func counts() async throws -> [Int] {
            [
                try await fixture.made.database.count("session"),
                try await fixture.made.database.count("delivery WHERE queue = 'logout_notices'"),
            ]
        }
        let password = Self.changing("correct horse", "battery staple")
        let roles = #""roles": ["payer"]}"#
        let steps = [
            (Self.full.replacing(#""locale": "fr""#, with: #""locale": "en""#), [1, 0]), (password, [0, 1]),
            (password.replacing(roles, with: #""roles": ["payer"], "name": "Ann"}"#), [1, 1]),
            (password.replacing(roles, with: #""roles": ["payer"], "blocked": true}"#), [0, 2]),
        ]
        for (index, (text, expected)) in steps.enumerated() {
            if try await counts()[0] == 0 {
                let access = Samples.access(client: "agent", session: "sid-\(index)")
                try await fixture.made.keep(Samples.code("\(index)", access))
            }
            try await fixture.apply(text)
            #expect(try await counts() == expected)
        }
    }

    @Test("A file without blocked keeps an administrator's block")
    func keptBlock() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        var user = try #require(try await fixture.user("auth0|bob"))
        user.blocked = true
        try await fixture.store.change { [user] in try $0.put(user, passwordHash: nil, in: TenantID("dev")) }
        for (locale, expected) in [
            (#""locale": "fr""#, true), (#""locale": "en""#, true), (#""locale": "en", "blocked": null"#, true),
            (#""locale": "en", "blocked": false"#, false),
        ] {
            try await fixture.apply(Self.full.replacing(#""locale": "fr""#, with: locale))
            #expect(try await fixture.user("auth0|bob")?.blocked == expected, "\(locale)")
        }
    }

    @Test("A new password or address in the file deletes the user's earlier tickets")
    func tickets() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        let password = Self.changing("correct horse", "battery staple")
        let email = password.replacing("Ann@", with: "New@")
        let name = email.replacing(#""roles": ["payer"]}"#, with: #""roles": ["payer"], "name": "Ann"}"#)
        for (text, left) in [(password, 0), (email, 0), (name, 2)] {
            for kind in [UserTicket.Kind.password, .email] {
                let ticket = UserTicket(
                    kind: kind, hash: [1], user: UserID("auth0|ann"), email: "ann@example.org", provesEmail: true,
                    resultURL: nil, createdAt: Samples.start, expiresAt: Samples.start + .seconds(60))
                try await fixture.store.change { try $0.put(ticket, in: TenantID("dev")) }
            }
            try await fixture.apply(text)
            let database = fixture.made.database
            #expect(try await database.count("password_ticket") + database.count("email_ticket") == left)
        }
    }

    @Test("A password is verified before it is hashed again")
    func passwords() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        #expect(fixture.passwords.hashed == 1)
        #expect(fixture.passwords.verified == 0)
        try await fixture.apply(Self.full)
        #expect(fixture.passwords.hashed == 1)
        #expect(fixture.passwords.verified == 1)
        let changed = try await fixture.apply(Self.changing("correct horse", "battery staple"))
        #expect(changed.contains("changed user auth0|ann (password)"))
        #expect(fixture.passwords.hashed == 2)
        let hash = try await fixture.passwordHash("auth0|ann")
        let kept = try await fixture.apply(Self.changing(#""password": "correct horse","#, ""))
        #expect(kept.contains("unchanged user auth0|ann"))
        #expect(try await fixture.passwordHash("auth0|ann") == hash, "a file without password leaves it")
    }

    @Test("An unchanged file keeps a password that the user chose since, and all sessions")
    func chosenPassword() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        let user = try #require(try await fixture.user("auth0|ann"))
        let chosen = try await fixture.passwords.hash(Password("what Ann chose"))
        try await fixture.store.change { try $0.put(user, passwordHash: chosen, in: TenantID("dev")) }
        try await fixture.made.keep(Samples.code("a", Samples.access(client: "agent", session: "sid")))
        for text in [Self.full, Self.changing(#""roles": ["payer"]}"#, #""roles": ["payer"], "name": "Ann"}"#)] {
            try await fixture.apply(text)
            #expect(try await fixture.passwordHash("auth0|ann") == chosen)
            #expect(try await fixture.made.database.count("session") == 1)
        }
        let changed = try await fixture.apply(Self.changing("correct horse", "battery staple"))
        #expect(changed.contains("changed user auth0|ann (name, password)"), "\(changed)")
        #expect(try await fixture.passwordHash("auth0|ann") != chosen, "another password of the file is enforced")
        #expect(try await fixture.made.database.count("session") == 0)
        let back = try await fixture.apply(Self.full)
        #expect(back.contains("changed user auth0|ann (password)"), "and so is one that it had before")
    }

    @Test("initial_password applies only to new users, even if it changes later")
    func initialPassword() async throws {
        let fixture = try await AdministrationFixture()
        let text = Self.changing(#""password": "correct horse""#, #""initial_password": "correct horse""#)
        try await fixture.apply(text)
        let first = try #require(try await fixture.passwordHash("auth0|ann"))
        #expect(try await fixture.passwords.verify(Password("correct horse"), against: first) == .prepared)
        let again = try await fixture.apply(text.replacing("correct horse", with: "battery staple"))
        #expect(again.contains("unchanged user auth0|ann"))
        #expect(try await fixture.passwordHash("auth0|ann") == first)
        let enforced = try await fixture.apply(Self.changing("correct horse", "battery staple"))
        #expect(enforced.contains("changed user auth0|ann (password)"), "password is not initial_password")
    }

    @Test("A new address, client or method of a provider needs the secret again")
    func movedSecret() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        let silent = Self.changing(#", "client_secret": "gh-secret-one""#, "")
        for change in [#""client_id": "other""#, #""client_id": "gh", "url": "https://evil.example""#] {
            let failure = try await #require(throws: ConfigurationFile.Failure.self) {
                try await fixture.apply(silent.replacing(#""client_id": "gh""#, with: change))
            }
            #expect(failure.lines.map(\.path) == ["tenants[0].connections[1].options.client_secret"])
        }
        #expect(try await fixture.apply(silent).contains("unchanged connection github"))
    }

    @Test("Scopes of Auth0's Management API that this server lacks are granted without effect")
    func inertScopes() async throws {
        let fixture = try await AdministrationFixture()
        let grant = #""client_grants": [{"audience": "https://pay.example/", "scope": ["pay:send"]}]"#
        let management = #"{"audience": "https://dev.example/api/v2/", "scope": ["read:users", "read:actions"]}"#
        let text = Self.changing(grant, grant.dropLast() + ", \(management)]")
        try await fixture.apply(text)
        let grants = try #require(try await fixture.part()?.clients.first?.grants)
        #expect(grants.first { $0.audience == "https://dev.example/api/v2/" }?.scopes == ["read:users"])
        #expect(try await fixture.apply(text).contains("unchanged client agent"))
        await #expect(throws: ConfigurationFile.Failure.self) {
            try await fixture.apply(text.replacing("read:actions", with: "read:nothing"))
        }
    }

    @Test("The operator's command line grants the Management API, but a client without its scopes cannot")
    func grantors() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        let grants = ManageClientGrants(store: fixture.store, ids: ObjectIDs(hashing: Samples.hashing))
        let tenant = try #require(try await fixture.part()).tenant
        let document: JSONObject = [
            "client_id": "agent", "audience": .string(tenant.managementAudience), "allow_all_scopes": true,
        ]
        func context(_ actor: AuditEvent.Actor) -> AdministrativeContext {
            AdministrativeContext(tenant: tenant.id, actor: actor, now: Samples.start)
        }
        await #expect(throws: AdministrationFailure.self) {
            try await grants.create(document, of: tenant, for: context(.client(ClientID("agent"))))
        }
        #expect(try await grants.create(document, of: tenant, for: context(.account("jo"))).grant.scopes == nil)
    }

    struct Edit: Sendable, CustomTestStringConvertible {
        let from: String
        let to: String
        let change: String
        var testDescription: String { change }
    }

    @Test("Metadata missing in a file stays, and empty metadata is deleted")
    func metadata() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(
            Self.changing(#""locale": "fr""#, #""user_metadata": {"a": 1}, "app_metadata": {"b": 2}"#))
        func kept() async throws -> UserMetadata {
            try await fixture.store.change { try $0.metadata(of: UserID("auth0|bob"), in: TenantID("dev")) }
        }
        #expect(try await kept() == UserMetadata(user: ["a": 1], app: ["b": 2]))
        #expect(
            try await fixture.apply(Self.changing(#""locale": "fr""#, #""app_metadata": {}"#))
                .contains("changed user auth0|bob (app_metadata)"))
        #expect(try await kept() == UserMetadata(user: ["a": 1]))
    }

    @Test("A username of another stored user is refused, with its line")
    func takenUsername() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.changing(#""locale": "fr""#, #""username": "BOB""#))
        let failure = try await #require(throws: ConfigurationFile.Failure.self) {
            try await fixture.apply(Self.changing(#""auth0|bob", "locale": "fr""#, #""auth0|eve", "username": "bob""#))
        }
        #expect(failure.lines.map(\.message) == ["bob belongs to the user auth0|bob"])
        #expect(failure.lines.map(\.path) == ["tenants[0].users[1].username"])
    }

    @Test(
        "Each difference is reported by object",
        arguments: [
            Edit(from: #""name": "Dev""#, to: #""name": "Prod""#, change: "changed tenant dev (name)"),
            Edit(
                from: #""custom_domains": ["login.example"]"#, to: #""settings": {"poll_interval": 6}"#,
                change: "changed tenant dev (custom_domains, settings)"),
            Edit(
                from: #""minProperties": 1"#, to: #""minProperties": 2"#,
                change: "changed api https://pay.example/ (authorization_details)"),
            Edit(from: #""name": "Payer""#, to: #""name": "Payers""#, change: "changed role payer (name)"),
            Edit(from: #""locale": "fr""#, to: #""blocked": true"#, change: "changed user auth0|bob (blocked, locale)"),
            Edit(
                from: #""locale": "fr""#,
                to: """
                    "locale": "fr", "username": "Bob", "phone_verified": true, "user_metadata": {"theme": "dark"},
                    "permissions": [
                        {"resource_server_identifier": "https://pay.example/", "permission_name": "pay:read"}]
                    """,
                change: "changed user auth0|bob (permissions, phone_verified, user_metadata, username)"),
            Edit(
                from: #"{"env": "SECRET"}"#, to: #"{"file": "/run/secret"}"#,
                change: "changed client agent (client_secret)"),
            Edit(
                from: #""name": "Users", "#, to: #""name": "Users", "options": {"disable_signup": true}, "#,
                change: "changed connection Users (options.disable_signup)"),
            Edit(
                from: "gh-secret-one", to: "gh-secret-two",
                change: "changed connection github (options.client_secret)"),
            Edit(
                from: #", "enabled_clients": ["agent"]"#, to: "",
                change: "changed connection github (enabled_clients)"),
            Edit(
                from: #", "scope": ["pay:send"]"#, to: #""#, change: "changed client agent (client_grants)"),
        ])
    func changed(edit: Edit) async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        let version = try await fixture.store.version()
        let logged = try await fixture.made.database.auditLog().count
        let changes = try await fixture.apply(Self.changing(edit.from, edit.to), at: Samples.start + .seconds(9))
        #expect(changes.filter { !$0.hasPrefix("unchanged") } == [edit.change])
        let isUser = edit.change.contains(" user ")
        #expect(
            try await fixture.store.version() == version + (isUser ? 0 : 1), "users are no part of the configuration")
        let entries = try await fixture.made.database.auditLog().dropFirst(logged)
        #expect(entries.map(\.actor) == ["account:jo"])
        #expect(edit.change.hasPrefix("changed \(entries.last?.object ?? "none")"))
        if isUser {
            let bob = try await fixture.user("auth0|bob")
            #expect(bob?.createdAt == Samples.start)
            #expect(bob?.updatedAt == Samples.start + .seconds(9))
        }
    }

    @Test("A host of another stored tenant is refused, and nothing changes")
    func hostConflict() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        let text = """
            {"tenants": [
              {"id": "a", "name": "A", "host": "a.example"},
              {"id": "b", "name": "B", "host": "b.example", "custom_domains": ["Login.example"]}
            ]}
            """
        let failure = try await #require(throws: ConfigurationFile.Failure.self) { try await fixture.apply(text) }
        #expect(
            failure.lines.map { "\($0.line) \($0.path) \($0.message)" }
                == ["3 tenants[1].custom_domains login.example belongs to the tenant dev"])
        #expect(try await fixture.part("a") == nil)
        // A file that moves the host from its owner is valid.
        try await fixture.apply(
            """
            {"tenants": [{"id": "dev", "name": "Dev", "host": "dev.example"},
                {"id": "b", "name": "B", "host": "login.example"}]}
            """)
        #expect(try await fixture.part("b")?.tenant.hosts == ["login.example"])
    }

    @Test("An e-mail address of a user outside the file is refused, and nothing changes")
    func emailConflict() async throws {
        let fixture = try await AdministrationFixture()
        try await fixture.apply(Self.full)
        let text = """
            {"tenants": [{"id": "dev", "name": "Changed", "host": "dev.example", "users": [
              {"user_id": "auth0|eve", "email": "ann@example.org"}]}]}
            """
        let failure = try await #require(throws: ConfigurationFile.Failure.self) { try await fixture.apply(text) }
        #expect(
            failure.lines.map { "\($0.line) \($0.path) \($0.message)" }
                == ["2 tenants[0].users[0].email ann@example.org belongs to the user auth0|ann"])
        #expect(try await fixture.part()?.tenant.name == "Dev")
        #expect(try await fixture.user("auth0|eve") == nil)
    }

    @Test("E-mail addresses can move between users of one file, in any order")
    func emailsMove() async throws {
        func users(_ one: String, _ two: String, _ three: String) -> String {
            let list = [("1", one), ("2", two), ("3", three)].map { id, email in
                #"{"user_id": "u\#(id)"\#(email.isEmpty ? "" : #", "email": "\#(email)""#)}"#
            }
            return
                #"{"tenants": [{"id": "dev", "name": "D", "host": "d", "users": [\#(list.joined(separator: ","))]}]}"#
        }
        let fixture = try await AdministrationFixture()
        try await fixture.apply(users("a@x.org", "b@x.org", "c@x.org"))
        let rotated = try await fixture.apply(users("b@x.org", "c@x.org", "a@x.org"))
        #expect(rotated.suffix(3) == (1...3).map { "changed user u\($0) (email)" })
        #expect(try await fixture.user("u1")?.email == "b@x.org")
        #expect(try await fixture.user("u3")?.email == "a@x.org")
        let taken = try await fixture.apply(users("c@x.org", "", "a@x.org"))
        #expect(taken.suffix(3) == ["changed user u1 (email)", "changed user u2 (email)", "unchanged user u3"])
        #expect(try await fixture.user("u2")?.email == nil)
    }

    @Test("If a key cannot be created, nothing changes")
    func keyFailure() async throws {
        let fixture = try await AdministrationFixture()
        let broken = ApplyConfiguration(
            store: fixture.store, hashing: Samples.hashing, passwords: fixture.passwords, sealer: Samples.sealer,
            keys: FakeKeys(fails: true), schemas: Samples.schemas)
        await #expect(throws: FakeKeys.Failure.self) {
            try await broken.apply(try file(Self.full), prune: false, by: .account("jo"), now: Samples.start)
        }
        #expect(try await fixture.store.tenants().isEmpty)
    }
}
