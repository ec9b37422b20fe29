import Audit
import AuthorizationCore
@testable import Flows
import Localization
import OpenSSLCrypto
import Persistence
import Primitives
import TestSupport
import Testing

@Suite("A mail asks new users to confirm their address")
struct SignUpMailTests {
    private static let strict = Samples.tenant { $0.settings.bruteForceProtection.attemptsPerAddress = 3 }

    private func signUp(
        _ fixture: LoginFixture, _ email: String = "bob@example.org", language: Language = .english,
        from address: String = FlowFixture.remote
    ) async throws {
        let visitor = Visitor(address)
        let page = try await fixture.authorize(visitor, ["screen_hint": "signup"]).page
        _ = try await fixture.signUp.signUp(
            page, email: email, password: "battery staple", name: nil, language: language
        ).response
    }

    private func verifyEmail(_ fixture: LoginFixture) -> VerifyEmail {
        VerifyEmail(store: fixture.store, hashing: Samples.hashing)
    }

    private func ticket(_ fixture: LoginFixture) async throws -> String {
        let text = try #require(try await fixture.mails().last?["text"]?.stringValue)
        let link = "https://dev.example/u/email-verification?ticket="
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(link) })
        return String(line.dropFirst(link.count))
    }

    private func verify(_ fixture: LoginFixture, _ ticket: String) async throws -> EmailTicket {
        try await verifyEmail(fixture).verify(
            ticket, context: fixture.context())
    }

    private func isVerified(_ fixture: LoginFixture, _ email: EmailAddress = "bob@example.org") async throws -> Bool? {
        try await fixture.store.account(email: email, tenant: fixture.tenant.id)?.user.emailVerified
    }

    @Test("The link of the mail confirms the address, once")
    func confirmed() async throws {
        let fixture = try await LoginFixture()
        try await signUp(fixture)
        #expect(try await fixture.mails().map { $0["to"] } == ["bob@example.org"])
        #expect(try await isVerified(fixture) == false)
        let ticket = try await ticket(fixture)
        #expect(try await verify(fixture, ticket).email == "bob@example.org")
        #expect(try await isVerified(fixture) == true)
        #expect(try await pageFailure { _ = try await verify(fixture, ticket) } == .ticket)
        #expect(try await fixture.log("svr", "sv").map(\.kind) == ["svr", "sv"])
    }

    @Test("The link ends after 24 hours")
    func ended() async throws {
        let fixture = try await LoginFixture()
        try await signUp(fixture)
        let ticket = try await ticket(fixture)
        fixture.fixture.clock.advance(by: .seconds(86_399))
        _ = try await verifyEmail(fixture).ticket(ticket, context: fixture.context())
        fixture.fixture.clock.advance(by: .seconds(1))
        #expect(try await pageFailure { _ = try await verify(fixture, ticket) } == .ticket)
        #expect(try await isVerified(fixture) == false)
    }

    @Test("The mail is in the language of the page", arguments: Language.allCases)
    func language(_ language: Language) async throws {
        let fixture = try await LoginFixture()
        try await signUp(fixture, language: language)
        let expected = language.texts.mail.signedUp(fixture.tenant.name, "").subject
        #expect(try await fixture.mails().map { $0["subject"]?.stringValue } == [expected])
        let account = try await fixture.store.account(email: "bob@example.org", tenant: fixture.tenant.id)
        #expect(account?.user.language == language, "later mails, too")
    }

    @Test("There is no mail if the tenant wants none, or the address is taken")
    func none() async throws {
        let quiet = try await LoginFixture(tenant: Samples.tenant { $0.settings.verifiesEmails = false })
        try await signUp(quiet)
        #expect(try await quiet.mails().isEmpty)
        #expect(try await quiet.log("svr", "fvr").isEmpty)
        let fixture = try await LoginFixture()
        #expect(
            try await interactionFailure { try await signUp(fixture, "ann@example.org") }.reason == .cannotSignUp)
        #expect(try await fixture.mails().isEmpty)
        #expect(try await fixture.log("svr", "fvr").isEmpty)
    }

    @Test("One network address causes few mails; further users from there get an account without one")
    func fewFromAnAddress() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        for name in ["a", "b", "c", "d"] { try await signUp(fixture, "\(name)@example.org") }
        #expect(try await fixture.mails().map { $0["to"] } == ["a@example.org", "b@example.org", "c@example.org"])
        #expect(try await isVerified(fixture, "d@example.org") == false)
        #expect(try await fixture.log("fvr").count == 1)
        try await signUp(fixture, "e@example.org", from: "192.0.2.99")
        #expect(try await fixture.mails().count == 4)
        fixture.fixture.clock.advance(by: .seconds(3600))
        try await signUp(fixture, "f@example.org")
        #expect(try await fixture.mails().map { $0["to"] } == ["f@example.org"], "the window has passed")
    }

    @Test("One mailbox gets few mails, whatever follows its + and whatever network address asks")
    func fewToAMailbox() async throws {
        let fixture = try await LoginFixture()
        for number in 1...7 { try await signUp(fixture, "bob+\(number)@example.org", from: "192.0.2.\(number)") }
        #expect(try await fixture.mails().count == 5)
        try await signUp(fixture, "bobby@example.org")
        try await signUp(fixture, "bob@example.com")
        #expect(try await fixture.mails().count == 7)
    }

    @Test("An upstream account is linked to the user of an address that was confirmed, and not before")
    func linked() async throws {
        let email = "octocat@github.example"
        let address = try #require(EmailAddress(parsing: email))
        let fixture = try await LoginFixture(tenant: Samples.tenant { $0.settings.linksVerifiedEmails = true })
        try await signUp(fixture, email)
        let account = try #require(try await fixture.store.account(email: address, tenant: fixture.tenant.id))
        let upstream = try UpstreamFixture(tenant: { $0.settings.linksVerifiedEmails = true })
        func logIn(as number: Int) async throws -> UserID {
            upstream.github.person.id = number
            let github = upstream.github
            let (location, _, attempt) = try await upstream.start("github")
            let callback = try await upstream.callback(
                from: location, of: HandlerClient([UpstreamFixture.github: { github.handle($0) }]))
            return try await FinishUpstreamLogin(
                providers: upstream.providers, accounts: fixture.store, sealer: Samples.sealer,
                verifier: OpenSSLVerifier(), hashing: Samples.hashing, budgets: AuditBudgets()
            ).finish(
                attempt, callback: callback, client: ClientID("app"),
                context: RequestContext(configuration: upstream.configuration, now: fixture.now)
            ).user.id
        }
        #expect(try await logIn(as: 1) == UserID("github|1"))
        _ = try await verify(fixture, try await ticket(fixture))
        #expect(try await logIn(as: 2) == account.user.id)
        #expect(try await fixture.mails().count == 1, "whom a provider vouches for is not asked")
    }
}
