@testable import Administration
import Audit
import AuthorizationCore
import Configuration
import Flows
import GuardianWire
import Localization
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Blocks after too many failed attempts, as an administrator sees them")
struct UserBlockTests {
    private static let strict = Samples.tenant { tenant in
        tenant.settings.bruteForceProtection.attemptsPerAddress = 2
        tenant.settings.bruteForceProtection.attemptsPerAccount = 3
        tenant.settings.bruteForceProtection.window = 600
    }
    private static let ann = ManageUserBlocks.Subject.user(UserID("auth0|ann"))

    private func blocks(_ fixture: LoginFixture) -> ManageUserBlocks {
        ManageUserBlocks(store: fixture.fixture.made.store, hashing: Samples.hashing)
    }

    /// Addresses that the subject is blocked from. `*` means everywhere.
    private func blocked(
        _ fixture: LoginFixture, _ subject: ManageUserBlocks.Subject = ann
    ) async throws -> [String] {
        try await blocks(fixture).blocks(of: subject, in: fixture.tenant.id, now: fixture.now).map {
            "\($0.secret.rawValue) \($0.identifier) \($0.connection) \($0.address ?? "*")"
        }
    }

    @discardableResult
    private func lift(
        _ fixture: LoginFixture, _ subject: ManageUserBlocks.Subject = ann
    ) async throws -> [UserBlock] {
        try await blocks(fixture).lift(
            subject, for: AdministrativeContext(tenant: fixture.tenant.id, actor: .account("root"), now: fixture.now))
    }

    private func guess(
        _ fixture: LoginFixture, _ times: Int, from address: String, email: String = "ann@example.org"
    ) async throws {
        let visitor = Visitor(address)
        let page = try await fixture.authorize(visitor).page
        for _ in 0..<times {
            _ = try await interactionFailure {
                _ = try await fixture.logIn(page.id, visitor, email: email, password: "guess")
            }
        }
    }

    private func enter(_ fixture: LoginFixture, from address: String) async throws {
        _ = try await fixture.enter(Visitor(address)).response
    }

    private static let database = LoginConnection.defaultDatabaseName

    @Test("Guesses from one IPv6 network count together, and the block shows the last one's address")
    func network() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        try await guess(fixture, 1, from: "2001:db8:0:1::1")
        try await guess(fixture, 1, from: "2001:db8:0:1:ffff::2")
        let block = "password ann@example.org \(Self.database)"
        #expect(try await blocked(fixture) == ["\(block) 2001:db8:0:1:ffff::2"])
        let refused = Visitor("2001:db8:0:1::3")
        let page = try await fixture.authorize(refused).page
        #expect(
            try await interactionFailure { _ = try await fixture.logIn(page.id, refused) }.reason == .tooManyAttempts)
        let addresses = Set(try await fixture.log("fp").map(\.remoteAddress))
        #expect(addresses == ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2"], "the log has them whole")
        try await enter(fixture, from: "2001:db8:0:2::1")
        try await lift(fixture)
        try await enter(fixture, from: "2001:db8:0:1::1")
    }

    @Test("An IPv4 address that is mapped into IPv6 counts as that address")
    func mapped() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        try await guess(fixture, 1, from: "::ffff:192.0.2.1")
        try await guess(fixture, 1, from: "192.0.2.1")
        #expect(try await blocked(fixture).count == 1)
        try await enter(fixture, from: "::ffff:192.0.2.2")
    }

    @Test("A block from an address, and one from everywhere, are listed as long as they last")
    func listed() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        try await guess(fixture, 1, from: "192.0.2.1")
        #expect(try await blocked(fixture) == [], "an attempt is no block")
        try await guess(fixture, 1, from: "192.0.2.1")
        let fromAddress = "password ann@example.org \(Self.database) 192.0.2.1"
        #expect(try await blocked(fixture) == [fromAddress])
        #expect(try await blocked(fixture, .identifier("ANN@example.org")) == [fromAddress])
        #expect(try await blocked(fixture, .identifier("bob@example.org")) == [])
        try await guess(fixture, 1, from: "192.0.2.2")
        #expect(try await blocked(fixture) == [fromAddress, "password ann@example.org \(Self.database) *"])
        fixture.fixture.clock.advance(by: .seconds(600))
        #expect(try await blocked(fixture) == [])
    }

    @Test("Failed passwords lock logins by password alone: the phone is asked, answers, and tokens are issued")
    func lockedPassword() async throws {
        let fixture = try await LoginFixture(
            tenant: Self.strict, clients: [LoginFixture.app(), Samples.client()], phone: true)
        let before = try await fixture.fixture.start().authReqID
        for host in 1...3 { try await guess(fixture, 1, from: "192.0.2.\(host)") }
        #expect(try await interactionFailure { try await enter(fixture, from: "192.0.2.9") }.reason == .tooManyAttempts)
        for id in [before, try await fixture.fixture.start().authReqID] {
            try await fixture.fixture.allow(id)
            #expect(try await fixture.fixture.poll(id) == "tokens")
        }
    }

    @Test("Lifting a block admits the right password from everywhere, and is logged with its actor")
    func lifted() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        try await guess(fixture, 2, from: "192.0.2.1")
        try await guess(fixture, 1, from: "192.0.2.2")
        #expect(try await interactionFailure { try await enter(fixture, from: "192.0.2.9") }.reason == .tooManyAttempts)
        #expect(try await lift(fixture).map(\.address) == ["192.0.2.1", nil])
        #expect(try await blocked(fixture) == [])
        for address in ["192.0.2.1", "192.0.2.2", "192.0.2.9"] { try await enter(fixture, from: address) }
        let entries = try await fixture.log("sapi")
        #expect(entries.count == 1)
        #expect(entries.first?.user == "auth0|ann")
        #expect(try await lift(fixture) == [])
        #expect(try await fixture.log("sapi").count == 1, "nothing was there any more")
    }

    @Test("An e-mail address without an account is blocked, listed and unblocked the same")
    func nobody() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        try await guess(fixture, 2, from: "192.0.2.1", email: "who@example.org")
        let subject = ManageUserBlocks.Subject.identifier("who@example.org")
        #expect(try await blocked(fixture, subject) == ["password who@example.org \(Self.database) 192.0.2.1"])
        #expect(try await lift(fixture, subject).count == 1)
        #expect(try await blocked(fixture, subject) == [])
        #expect(try await fixture.log("sapi").map(\.user) == [nil])
        #expect(try await blocked(fixture, .identifier("who")) == [])
    }

    @Test("Guessed one-time passwords block, too, and are found by the user's id, address and phone number")
    func oneTimePasswords() async throws {
        let fixture = try await LoginFixture(
            tenant: Samples.tenant { tenant in
                tenant.settings = Self.strict.settings
                tenant.settings.multiFactor = .always
            }, ann: { $0.phoneNumber = "+33612345678" })
        try await fixture.enrol(secret: Array("12345678901234567890".utf8))
        let visitor = Visitor("192.0.2.1")
        let page = try await fixture.enter(visitor).page
        for _ in 0..<2 {
            let opened = try await fixture.open(page.id, visitor)
            _ = try await interactionFailure { _ = try await fixture.codes.logIn(opened, code: "x") }
        }
        let block = "otp ann@example.org \(Self.database) 192.0.2.1"
        for identifier in ["ann@example.org", "+33612345678"] {
            #expect(try await blocked(fixture, .identifier(identifier)) == [block])
        }
        #expect(try await blocked(fixture) == [block])
        #expect(try await lift(fixture, .identifier("+33612345678")).map(\.secret) == [.oneTimePassword])
        let opened = try await fixture.open(page.id, visitor)
        #expect(
            try await interactionFailure { _ = try await fixture.codes.logIn(opened, code: "x") }
                .reason
                == .wrongCode)
    }

    @Test("A new password by mail forgives wrong ones from every address")
    func newPassword() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        try await guess(fixture, 2, from: "192.0.2.1")
        try await guess(fixture, 1, from: "192.0.2.2")
        try await fixture.recover.request(
            email: "ann@example.org", language: .english, context: fixture.context("192.0.2.3"))
        let text = try #require(try await fixture.mails().last?["text"]?.stringValue)
        let link = try #require(text.split(separator: "\n").first { $0.contains("?ticket=") })
        let ticket = try #require(link.split(separator: "=").last.map(String.init))
        try await fixture.recover.reset(
            ticket: ticket, password: "battery staple", context: fixture.context("192.0.2.3"))
        #expect(try await blocked(fixture) == [])
        for address in ["192.0.2.1", "192.0.2.2"] {
            let visitor = Visitor(address)
            let page = try await fixture.authorize(visitor).page
            _ = try await fixture.logIn(page.id, visitor, password: "battery staple").response
        }
    }

    @Test("An unknown user is reported as such")
    func unknown() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        await #expect(throws: AdministrationFailure.unknown(.user)) {
            try await blocked(fixture, .user(UserID("auth0|zoe")))
        }
        await #expect(throws: AdministrationFailure.unknown(.user)) {
            try await lift(fixture, .user(UserID("auth0|zoe")))
        }
    }
}
