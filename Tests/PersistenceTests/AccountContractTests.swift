import Administration
import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Store contract: accounts and upstream identities")
struct AccountContractTests {
    private let identity = UpstreamIdentity(provider: "github", id: "42|x")
    private let eve = UserID("auth0|eve")

    private func signUp(
        _ made: TemporaryStore, _ user: User, verification: VerificationMail? = nil,
        tenant: TenantID = LoginSamples.tenant
    ) async throws -> Bool {
        try await made.store.signUp(
            user, passwordHash: "$argon2", verification: verification, tenant: tenant,
            events: [LoginSamples.event(.signedUp)])
    }

    private func user(_ id: String, email: EmailAddress? = "eve@example.org") -> User {
        Samples.user(id) { $0.email = email }
    }

    @Test("A new user is found by address and by id, in its tenant only", arguments: StoreKind.all)
    func signUp(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let eve = user("auth0|eve")
        #expect(try await signUp(made, eve))
        let account = Account(user: eve, passwordHash: "$argon2")
        #expect(try await made.store.account(email: "eve@example.org", tenant: LoginSamples.tenant) == account)
        #expect(try await made.store.account(eve.id, tenant: LoginSamples.tenant) == account)
        #expect(try await made.store.account(email: "eve@example.org", tenant: LoginSamples.other) == nil)
        #expect(try await made.store.account(eve.id, tenant: LoginSamples.other) == nil)
        #expect(try await made.store.account(LoginSamples.ann, tenant: LoginSamples.tenant)?.passwordHash == nil)
        #expect(try await signUp(made, user("auth0|second")) == false, "the address is taken")
        #expect(try await signUp(made, user("auth0|third"), tenant: LoginSamples.other), "another tenant")
        #expect(try await made.database.auditLog("ss").count == 2)
    }

    @Test("A user of the database is found by username, in their tenant only", arguments: StoreKind.all)
    func username(kind: StoreKind) async throws {
        let made = try await kind.populated()
        var eve = user("auth0|eve", email: nil)
        eve.username = "eve"
        #expect(try await signUp(made, eve))
        let found = try await made.store.account(username: "eve", tenant: LoginSamples.tenant)
        #expect(found == Account(user: eve, passwordHash: "$argon2"))
        #expect(try await made.store.account(username: "Eve", tenant: LoginSamples.tenant) == nil)
        #expect(try await made.store.account(username: "eve", tenant: LoginSamples.other) == nil)
        var other = user("github|7", email: nil)
        other.username = "mallory"
        let provided = other
        try await made.store.change { try $0.put(provided, passwordHash: nil, in: LoginSamples.tenant) }
        #expect(try await made.store.account(username: "mallory", tenant: LoginSamples.tenant) == nil)
    }

    @Test("100 concurrent sign-ups of one address make one account", arguments: StoreKind.all)
    func racingSignUps(kind: StoreKind) async throws {
        let made = try await kind.populated()
        #expect(try await winners { try await signUp(made, user("auth0|\($0)")) } == 1)
        #expect(try await made.database.auditLog("ss").count == 1)
    }

    @Test(
        "A sign-up's verification mail is stored with the account, and none if the address is taken",
        arguments: StoreKind.all)
    func mails(kind: StoreKind) async throws {
        let made = try await kind.populated()
        func verification(_ user: UserID, _ name: String) -> VerificationMail {
            VerificationMail(
                hash: LoginSamples.hash(name),
                ticket: EmailTicket(user: user, email: "eve@example.org", resultURL: nil),
                createdAt: LoginSamples.start, expiresAt: LoginSamples.start + .seconds(60), mail: LoginSamples.mail())
        }
        #expect(try await signUp(made, user("auth0|eve"), verification: verification(eve, "first")))
        #expect(try await made.database.count("delivery WHERE queue = 'mail'") == 1)
        let second = UserID("auth0|second")
        #expect(try await signUp(made, user(second.rawValue), verification: verification(second, "second")) == false)
        #expect(try await made.database.count("delivery WHERE queue = 'mail'") == 1)
        #expect(try await made.database.count("email_ticket") == 1)
        let hash = LoginSamples.hash("first")
        #expect(
            try await made.store.emailTicket(hash, tenant: LoginSamples.tenant, now: LoginSamples.start)?.user == eve)
        #expect(try await made.store.emailTicket(hash, tenant: LoginSamples.other, now: LoginSamples.start) == nil)
        #expect(
            try await made.store.emailTicket(hash, tenant: LoginSamples.tenant, now: LoginSamples.start + .seconds(60))
                == nil)
    }

    @Test("Upstream users may share an address with each other and with a database's user", arguments: StoreKind.all)
    func sharedAddress(kind: StoreKind) async throws {
        let made = try await kind.populated()
        for provider in ["github", "corp"] {
            for id in ["1", "2"] {
                let identity = UpstreamIdentity(provider: provider, id: id)
                try await made.store.keep(
                    user(identity.userID.rawValue), identity: identity, tenant: LoginSamples.tenant,
                    event: LoginSamples.event(.loggedIn))
            }
        }
        #expect(try await made.store.account(email: "eve@example.org", tenant: LoginSamples.tenant) == nil)
        #expect(try await signUp(made, user("auth0|eve")))
        #expect(try await made.store.account(email: "eve@example.org", tenant: LoginSamples.tenant)?.user.id == eve)
    }

    @Test("An upstream profile is stored and updated, except the tenant's own fields", arguments: StoreKind.all)
    func keep(kind: StoreKind) async throws {
        let made = try await kind.populated()
        var profile = user("github|42|x")
        profile.name = "Eve"
        try await made.store.keep(
            profile, identity: identity, tenant: LoginSamples.tenant, event: LoginSamples.event(.loggedIn))
        #expect(try await made.store.account(of: identity, tenant: LoginSamples.tenant)?.user == profile)
        #expect(try await made.store.account(of: identity, tenant: LoginSamples.other) == nil)
        var blocked = profile
        blocked.blocked = true
        blocked.roles = [RoleID("rol_1")]
        blocked.phoneNumber = "+331"
        let stored = blocked
        try await made.store.change { try $0.put(stored, passwordHash: nil, in: LoginSamples.tenant) }
        profile.name = "Eve B."
        profile.emailVerified = true
        profile.createdAt = LoginSamples.start + .seconds(9)
        profile.updatedAt = LoginSamples.start + .seconds(9)
        try await made.store.keep(
            profile, identity: identity, tenant: LoginSamples.tenant, event: LoginSamples.event(.loggedIn))
        var expected = blocked
        expected.name = "Eve B."
        expected.emailVerified = true
        expected.updatedAt = LoginSamples.start + .seconds(9)
        #expect(try await made.store.account(of: identity, tenant: LoginSamples.tenant)?.user == expected)
    }

    @Test("100 concurrent first logins make one user", arguments: StoreKind.all)
    func racingKeeps(kind: StoreKind) async throws {
        let made = try await kind.populated()
        let before = try await made.database.count("user")
        #expect(
            try await winners { _ in
                try await made.store.keep(
                    user("github|42|x"), identity: identity, tenant: LoginSamples.tenant,
                    event: LoginSamples.event(.loggedIn))
                return true
            } == 100)
        #expect(try await made.database.count("user") == before + 1)
    }

    @Test("A linked identity belongs to one user until that user is deleted", arguments: StoreKind.all)
    func link(kind: StoreKind) async throws {
        let made = try await kind.populated()
        func link(_ user: UserID) async throws -> Bool {
            try await made.store.link(
                identity, to: user, tenant: LoginSamples.tenant, event: LoginSamples.event(.identityLinked))
        }
        #expect(try await link(UserID("auth0|gone")) == false)
        #expect(try await link(LoginSamples.ann))
        #expect(try await link(LoginSamples.ann))
        #expect(try await link(LoginSamples.bob) == false)
        #expect(try await made.database.auditLog("identity_linked").count == 1)
        try await made.store.keep(
            user("github|42|x"), identity: identity, tenant: LoginSamples.tenant, event: LoginSamples.event(.loggedIn))
        #expect(try await made.store.account(of: identity, tenant: LoginSamples.tenant)?.user.id == LoginSamples.ann)
        #expect(try await made.store.account(identity.userID, tenant: LoginSamples.tenant) == nil)
        #expect(try await made.store.account(LoginSamples.ann, tenant: LoginSamples.tenant)?.user.email == nil)
        try await made.delete(LoginSamples.ann)
        #expect(try await made.store.account(of: identity, tenant: LoginSamples.tenant) == nil)
        #expect(try await link(LoginSamples.bob), "its user is gone")
    }

    @Test(
        "A configured user of a provider is found by identity; an auth0 user or one without a provider has none",
        arguments: StoreKind.all)
    func configuredUser(kind: StoreKind) async throws {
        let made = try await kind.populated()
        try await made.store.change { transaction in
            for id in ["github|42|x", "auth0|42", "plain"] {
                try transaction.put(Samples.user(id), passwordHash: nil, in: LoginSamples.tenant)
            }
        }
        #expect(try await made.store.account(of: identity, tenant: LoginSamples.tenant)?.user.id == identity.userID)
        #expect(try await made.database.count("identity") == 1)
    }
}
