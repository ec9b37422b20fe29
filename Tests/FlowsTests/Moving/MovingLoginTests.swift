import Audit
import AuthorizationCore
import Configuration
@testable import Flows
import HTTPModel
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("Moving people at their first login")
struct MovingLoginTests {
    private static let strict = Samples.tenant { tenant in
        tenant.settings.bruteForceProtection.attemptsPerAddress = 2
        tenant.settings.bruteForceProtection.attemptsPerAccount = 3
        tenant.settings.bruteForceProtection.window = 600
    }

    @Test("The old server's yes makes a user with its profile and a hash of our own, who is local from then on")
    func moved() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        _ = try await fixture.bob().response
        let account = try #require(try await fixture.account())
        #expect(account.user.id == LoginFixture.bob)
        #expect(account.user.name == "Bob Brown" && account.user.givenName == "Bob")
        #expect(account.user.nickname == "bob" && account.user.emailVerified)
        #expect(account.user.roles == [] && account.user.permissions == [])
        #expect(account.passwordHash == PlainPasswords.encoded(LoginFixture.password))
        let record = try #require(
            try await fixture.fixture.made.store.record(of: LoginFixture.bob, tenant: TenantID("dev")))
        #expect(record.metadata == UserMetadata(user: ["color": "red"], app: ["plan": "gold"]))
        let call = try #require(old.calls.first)
        #expect(call.method == .post && call.url == "https://old.example/users")
        #expect(call.fields["Authorization"] == "Bearer \(OldServerStandIn.secret)")
        #expect(
            try old.questions == [
                [
                    "action": "login", "email": "bob@example.org", "password": .string(LoginFixture.password),
                    "tenant": "dev", "connection": .string(OldServerStandIn.connection),
                    "ip": .string(FlowFixture.remote),
                ]
            ])
        old.answer(401)
        _ = try await fixture.bob().response
        #expect(old.calls.count == 1, "the second login is local")
        #expect(try await fixture.log("user_moved").map(\.user) == [LoginFixture.bob.rawValue])
        #expect(try await fixture.log("s").count == 2)
    }

    @Test("An authenticator app comes along, and is asked for at once")
    func factors() async throws {
        let old = OldServerStandIn()
        let document = OldServerStandIn.document.patched(
            with: ["mfa_factors": [["totp": ["secret": "JBSWY3DPEHPK3PXP"]]]])
        old.answer(200, .object(document))
        // A tenant that takes no more of a profile than the name takes it, too.
        let fixture = try await old.fixture(
            tenant: LoginFixture.tenant(demanding: .whenEnrolled),
            connection: try OldServerStandIn.database(members: [.name]))
        _ = try await fixture.bob().page
        let kept = try await fixture.store.oneTimePasswords(of: LoginFixture.bob, tenant: TenantID("dev"))
        #expect(kept.count == 1 && kept.first?.holder.device == nil)
        #expect(try await fixture.log("user_moved").first?.details.contains(#""authenticators":1"#) == true)
    }

    @Test("Members that the tenant does not take are left out")
    func members() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture(connection: try OldServerStandIn.database(members: [.name]))
        _ = try await fixture.bob().response
        let user = try #require(try await fixture.account()?.user)
        #expect(user.name == "Bob Brown" && user.givenName == nil && !user.emailVerified)
        let record = try #require(try await fixture.fixture.made.store.record(of: user.id, tenant: TenantID("dev")))
        #expect(record.metadata == UserMetadata())
    }

    @Test("401 and 404 are wrong passwords, and are counted and logged as such")
    func refused() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture(tenant: Self.strict)
        let visitor = Visitor()
        for (password, email) in [("guess", "bob@example.org"), (LoginFixture.password, "zoe@example.org")] {
            let failure = try await interactionFailure {
                _ = try await fixture.bob(visitor, password: password, email: email)
            }
            #expect(failure == .wrongCredentials)
        }
        #expect(try await fixture.log("fu").count == 2)
        #expect(try await interactionFailure { _ = try await fixture.bob(visitor, password: "x") } == .wrongCredentials)
        #expect(try await fixture.log("limit_wc").count == 1)
        let calls = old.calls.count
        let blocked = try await interactionFailure { _ = try await fixture.bob(visitor) }
        #expect(blocked.reason == .tooManyAttempts)
        #expect(old.calls.count == calls, "a blocked guess does not reach the old server")
        #expect(try await fixture.account() == nil)
    }

    @Test("Guesses at once do not reach the old server beyond the limit")
    func atOnce() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture(tenant: Self.strict)
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor).page
        let failures = await withTaskGroup(of: InteractionFailure.Reason?.self) { group in
            for number in 0..<8 {
                group.addTask {
                    do {
                        _ = try await fixture.logIn.logIn(
                            page, name: "bob@example.org", password: "guess \(number)")
                        return nil
                    } catch { return (error as? InteractionFailure)?.reason }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(failures) == [.wrongCredentials, .tooManyAttempts])
        #expect(old.calls.count <= 2)
    }

    @Test("A right password takes its attempt back")
    func takenBack() async throws {
        let old = OldServerStandIn()
        var tenant = Self.strict
        tenant.settings.bruteForceProtection.attemptsPerAddressInAll = 2
        let fixture = try await old.fixture(tenant: tenant)
        for number in 1...4 {
            let email = "person\(number)@example.org"
            old.answer(200, ["user_id": .number(JSONNumber(number)), "email": .string(email)])
            _ = try await fixture.bob(Visitor(), email: email).response
        }
        #expect(try await fixture.log("user_moved").count == 4)
        #expect(try await fixture.account("person3@example.org")?.user.id == UserID("auth0|3"), "a number is an id")
    }

    @Test("The same person in two windows becomes one user")
    func twoWindows() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { _ = try await fixture.bob().response } }
            try await group.waitForAll()
        }
        #expect(try await fixture.log("user_moved").count == 1)
        #expect(try await fixture.log("s").count == 4)
    }

    @Test("An address that was taken while the old server was called stays the other's")
    func takenMeanwhile() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        old.answer { question in
            try? await fixture.keepBob(id: UserID("auth0|eve"), password: "Eve's")
            return OldServerStandIn.bob(question)
        }
        #expect(try await interactionFailure { _ = try await fixture.bob() } == .wrongCredentials)
        #expect(try await fixture.account()?.passwordHash == PlainPasswords.encoded("Eve's"))
        #expect(try await fixture.log("user_move_refused").count == 1)
        #expect(try await fixture.log("s", "user_moved") == [])
    }

    @Test("A user with a password here is never the old server's to judge")
    func local() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        try await fixture.keepBob(password: "another")
        #expect(try await interactionFailure { _ = try await fixture.bob() } == .wrongCredentials)
        #expect(old.calls.isEmpty)
        _ = try await fixture.bob(password: "another").response
    }

    @Test("An imported user without a password, who has the old server's id, gets the password")
    func imported() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        try await fixture.keepBob { $0.name = "Robert" }
        _ = try await fixture.bob().response
        let account = try #require(try await fixture.account())
        #expect(account.user.name == "Robert", "the imported profile stays")
        #expect(account.passwordHash == PlainPasswords.encoded(LoginFixture.password))
        #expect(try await fixture.log("user_moved").count == 1)
    }

    @Test("A user without a password who has another id is not taken over")
    func invited() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        try await fixture.keepBob(id: UserID("auth0|invited"))
        #expect(try await interactionFailure { _ = try await fixture.bob() } == .wrongCredentials)
        #expect(try await fixture.account()?.passwordHash == nil)
        #expect(try await fixture.log("user_move_refused").count == 1)
    }

    @Test("The old server's id of another user here moves nobody")
    func otherAddress() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        try await fixture.keepBob(password: "another") { $0.email = "robert@example.org" }
        #expect(try await interactionFailure { _ = try await fixture.bob() } == .wrongCredentials)
        #expect(try await fixture.account() == nil)
        #expect(try await fixture.log("user_move_refused").count == 1)
    }

    @Test("Blocked users and users with rights at the Management API are not asked of the old server")
    func protected() async throws {
        let old = OldServerStandIn()
        let role = Role(
            id: RoleID("admin"), name: "Admin", description: "",
            permissions: [
                Role.Permission(resourceServer: Samples.tenant().managementAudience, scope: "read:users")
            ])
        let fixture = try await old.fixture(roles: [role])
        for change in [{ @Sendable in $0.blocked = true }, { $0.roles = [role.id] }] as [@Sendable (inout User) -> Void]
        {
            try await fixture.keepBob(change)
            #expect(try await interactionFailure { _ = try await fixture.bob() } == .wrongCredentials)
        }
        #expect(old.calls.isEmpty)
    }

    @Test("Empty and overlong passwords do not reach the old server")
    func unfitPasswords() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        for password in ["", String(repeating: "x", count: PasswordPolicy.maximumLength + 1)] {
            #expect(try await interactionFailure { _ = try await fixture.bob(password: password) } == .wrongCredentials)
        }
        #expect(old.calls.isEmpty)
    }

    @Test("Without an old server, an unknown address calls nobody")
    func without() async throws {
        let old = OldServerStandIn()
        let fixture = try await LoginFixture(oldServers: old.servers())
        #expect(try await interactionFailure { _ = try await fixture.bob() } == .wrongCredentials)
        #expect(old.calls.isEmpty)
    }
}
