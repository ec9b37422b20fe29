import Audit
import AuthorizationCore
@testable import Flows
import HTTPModel
import Localization
import Primitives
import TestSupport
import Testing

@Suite("People of the old server who forgot their password or sign up")
struct MovingByMailTests {
    private func request(
        _ fixture: LoginFixture, _ email: String = "bob@example.org", from address: String = FlowFixture.remote
    ) async throws {
        try await fixture.recover.request(email: email, language: .english, context: fixture.context(address))
    }

    private func ticket(_ mail: JSONValue) throws -> String {
        let text = try #require(mail["text"]?.stringValue)
        let link = try #require(text.split(separator: "\n").first { $0.contains("/u/reset-password?ticket=") })
        return String(try #require(link.split(separator: "=").last))
    }

    @Test("A person who is not here yet gets the link, and with it a local account")
    func forgot() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        try await request(fixture)
        #expect(try old.questions.map { $0["action"] } == ["get_user"])
        #expect(try old.questions.allSatisfy { $0["password"] == nil })
        let account = try #require(try await fixture.account())
        #expect(account.user.id == LoginFixture.bob && account.passwordHash == nil)
        let mails = try await fixture.mails()
        #expect(mails.count == 1)
        #expect(try await fixture.log("user_moved").count == 1)
        #expect(try await fixture.log("scpr").count == 1)
        _ = try await fixture.bob().response
        #expect(try await fixture.account()?.passwordHash != nil, "the old password works until there is a new one")
        try await fixture.recover.reset(
            ticket: try ticket(mails[0]), password: "a new long password", context: fixture.context())
        _ = try await fixture.bob(password: "a new long password").response
        #expect(try await interactionFailure { _ = try await fixture.bob() } == .wrongCredentials)
    }

    @Test("Every address calls the old server, whether it is known here, there or nowhere")
    func sameForAll() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        for email in ["ann@example.org", "bob@example.org", "zoe@example.org"] { try await request(fixture, email) }
        #expect(try old.questions.map { $0["email"] } == ["ann@example.org", "bob@example.org", "zoe@example.org"])
        #expect(try await fixture.mails().count == 2)
        #expect(try await fixture.log("fcpr").count == 1)
    }

    @Test("Requests beyond the limits do not reach the old server")
    func limited() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        for _ in 0..<RecoverPassword.ticketLimit + 2 { try await request(fixture, "zoe@example.org") }
        #expect(old.calls.count == RecoverPassword.ticketLimit)
    }

    @Test("A silent old server is reported to everybody, after the mail to people who are here")
    func silent() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        old.answer(500)
        for email in ["ann@example.org", "zoe@example.org"] {
            #expect(try await interactionFailure { try await request(fixture, email) }.reason == .silentServer)
        }
        #expect(try await fixture.mails().count == 1)
    }

    @Test("A silent old server keeps people without a password here from a first one: it may know a second factor")
    func silentAboutImported() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        try await fixture.keepBob(password: nil)
        old.answer(500)
        #expect(try await interactionFailure { try await request(fixture) }.reason == .silentServer)
        #expect(try await fixture.mails() == [])
        #expect(try await fixture.log("fcpr").first?.details.contains("does not answer") == true)
    }

    @Test("The id of another user here sends no mail")
    func taken() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        try await fixture.keepBob(password: "another") { $0.email = "robert@example.org" }
        try await request(fixture)
        #expect(try await fixture.account() == nil)
        #expect(try await fixture.mails() == [])
        #expect(try await fixture.log("fcpr").count == 1)
    }

    // MARK: sign up

    private func signUp(_ fixture: LoginFixture, _ email: String, from address: String = FlowFixture.remote)
        async throws
    {
        let visitor = Visitor(address)
        let page = try await fixture.authorize(visitor, ["screen_hint": "signup"]).page
        _ = try await fixture.signUp.signUp(
            page, email: email, password: "a new long password", name: nil, language: .english)
    }

    @Test("An address of the old server is taken, and others sign up")
    func signUps() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        let failure = try await interactionFailure { try await signUp(fixture, "bob@example.org") }
        #expect(failure.reason == .cannotSignUp)
        #expect(try await fixture.account() == nil)
        try await signUp(fixture, "zoe@example.org")
        #expect(try await fixture.account("zoe@example.org") != nil)
        #expect(try old.questions.map { $0["action"] } == ["get_user", "get_user"])
    }

    @Test("While the old server is silent, nobody signs up")
    func silentSignUp() async throws {
        let old = OldServerStandIn()
        let fixture = try await old.fixture()
        old.answer(503)
        #expect(try await interactionFailure { try await signUp(fixture, "zoe@example.org") }.reason == .silentServer)
        #expect(try await fixture.account("zoe@example.org") == nil)
    }

    @Test("Sign-ups of one address reach the old server as often as they may succeed")
    func limitedSignUps() async throws {
        let old = OldServerStandIn()
        let tenant = Samples.tenant { $0.settings.bruteForceProtection.attemptsPerAddressInAll = 2 }
        let fixture = try await old.fixture(tenant: tenant)
        for number in 1...2 { try await signUp(fixture, "zoe\(number)@example.org") }
        let failure = try await interactionFailure { try await signUp(fixture, "zoe3@example.org") }
        #expect(failure.reason == .tooManyAttempts)
        #expect(old.calls.count == 2)
    }
}
