import AuthorizationCore
import Flows
import Localization
import OAuthWire
import Primitives
import TestSupport
import Testing

/// Links that set a password.
extension LoginTests {
    private func ticket(_ fixture: LoginFixture, _ email: String = "ann@example.org") async throws -> String? {
        let before = try await fixture.mails().count
        try await fixture.recover.request(
            email: email, language: .english, context: fixture.context())
        let mails = try await fixture.mails()
        guard mails.count > before, let text = mails.last?["text"]?.stringValue else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("https://dev.example/u/reset-password?ticket=") }
        return line?.split(separator: "=").last.map(String.init)
    }

    private func reset(
        _ fixture: LoginFixture, _ ticket: String, _ password: String = "battery staple"
    ) async throws {
        try await fixture.recover.reset(
            ticket: ticket, password: password, context: fixture.context())
    }

    @Test("A link sets the password once, ends sessions, and forgives wrong passwords")
    func recover() async throws {
        let fixture = try await LoginFixture(tenant: Self.strict)
        let visitor = Visitor()
        _ = try await fixture.enter(visitor).response
        _ = try await guess(fixture, 3, from: FlowFixture.remote)
        let ticket = try #require(try await ticket(fixture))
        let user = try await fixture.recover.user(ticket: ticket, context: fixture.context()).user
        #expect(user.email == "ann@example.org")
        let weak = try await interactionFailure { try await reset(fixture, ticket, "ann") }
        #expect(weak.reason == .password, "and the link still works")
        let session = try #require(try await fixture.session(of: visitor))
        try await reset(fixture, ticket)
        #expect(try await fixture.logouts() == ["app \(session.id)"])
        #expect(try await pageFailure { try await reset(fixture, ticket) } == .ticket)
        #expect(try await fixture.session(of: visitor) == nil)
        let page = try await fixture.authorize(visitor).page
        _ = try await fixture.logIn(page.id, visitor, password: "battery staple").response
        #expect(try await fixture.log("scp").count == 1)
    }

    @Test("A link expires, and a newer one replaces it")
    func tickets() async throws {
        let fixture = try await LoginFixture()
        let old = try #require(try await ticket(fixture))
        let new = try #require(try await ticket(fixture))
        #expect(try await pageFailure { try await reset(fixture, old) } == .ticket)
        fixture.fixture.clock.advance(by: .seconds(3600))
        #expect(try await pageFailure { try await reset(fixture, new) } == .ticket)
        #expect(try await pageFailure { try await reset(fixture, "made up") } == .ticket)
    }

    @Test("A request for an unknown or blocked address gets the same answer, and no mail")
    func unknownAddress() async throws {
        let fixture = try await LoginFixture(ann: { $0.blocked = true })
        #expect(try await ticket(fixture, "bob@example.org") == nil)
        #expect(try await ticket(fixture) == nil)
    }

    @Test("An account gets five mails within the window, whatever the number of requests")
    func rateLimit() async throws {
        let fixture = try await LoginFixture()
        for _ in 0..<9 { _ = try await ticket(fixture) }
        #expect(try await fixture.mails().count == 5)
    }

    @Test("A mail is sealed: the store does not hold the link")
    func sealed() async throws {
        let fixture = try await LoginFixture()
        let ticket = try #require(try await ticket(fixture))
        let dumped = try await fixture.store.dueMail(now: fixture.now, limit: 9).flatMap(\.mail.sealed)
        #expect(!String(decoding: dumped, as: UTF8.self).contains(ticket))
    }
}
