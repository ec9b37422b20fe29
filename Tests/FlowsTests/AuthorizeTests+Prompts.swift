import AuthorizationCore
import Flows
import OAuthWire
import Primitives
import TestSupport
import Testing

/// OIDC Core 3.1.2.1: `prompt`.
extension AuthorizeTests {
    @Test("OIDC Core 3.1.2.6: prompt=none shows nothing, keeps nothing, and names the step that would be shown")
    func promptNone() async throws {
        let third = LoginFixture.app("third") { $0.isFirstParty = false }
        let fixture = try await LoginFixture(clients: [LoginFixture.app(), third])
        let visitor = Visitor()
        let answer = try await fixture.authorize(visitor, ["prompt": "none"])
        #expect(try answer.error == "login_required")
        #expect(try answer.response.parameters["error_description"] == "Login required")
        #expect(answer.sessionCookie == nil && answer.bindingCookie == nil)
        #expect(try await fixture.count(.transactions) == 0)
        _ = try await fixture.enter(visitor).response
        #expect(try await fixture.authorize(visitor, ["prompt": "none"]).error == nil)
        #expect(
            try await fixture.authorize(visitor, ["prompt": "none", "client_id": "third"]).error == "consent_required")
        #expect(try await fixture.authorize(visitor, ["prompt": "none", "max_age": "0"]).error == "login_required")
    }

    @Test("prompt=none does not tell whether a user is blocked or logged in elsewhere")
    func promptNoneLeaksNothing() async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        _ = try await fixture.enter(visitor).response
        let stranger = try await fixture.authorize(Visitor(), ["prompt": "none", "login_hint": "ann@example.org"])
            .response
        try await fixture.change(ann: { $0.blocked = true })
        let blocked = try await fixture.authorize(visitor, ["prompt": "none"]).response
        #expect(stranger == blocked)
    }

    @Test("prompt=none with a missing second factor is interaction_required")
    func promptNoneMFA() async throws {
        var fixture = try await LoginFixture()
        let visitor = Visitor()
        _ = try await fixture.enter(visitor).response
        fixture.settings { $0.multiFactor = .always }
        #expect(try await fixture.authorize(visitor, ["prompt": "none"]).error == "interaction_required")
    }

    @Test(
        "prompt=login and max_age=0 ask for the password though there is a session, and auth_time is new",
        arguments: [
            ["prompt": "login"], ["max_age": "0"],
        ])
    func again(changes: [String: String]) async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        _ = try await fixture.enter(visitor).response
        fixture.fixture.clock.advance(by: .seconds(10))
        let page = try await fixture.authorize(visitor, changes.mapValues { $0 }).page
        #expect(page.step == .logIn)
        let code = try await fixture.code(fixture.logIn(page.id, visitor).response)
        #expect(code.access.authTime == fixture.now)
    }

    @Test("prompt=select_account goes on as the session's user, or lets another log in")
    func selectAccount() async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        _ = try await fixture.enter(visitor).response
        let page = try await fixture.authorize(visitor, ["prompt": "select_account"]).page
        #expect(page.step == .selectAccount)
        #expect(page.user?.email == "ann@example.org")
        let other = try await fixture.transactions.selectAccount(page, other: true).page
        #expect(other.step == .logIn)
        #expect(try await fixture.open(page.id, visitor).step == .logIn)
        let second = try await fixture.authorize(visitor, ["prompt": "select_account"]).page
        _ = try await fixture.code(fixture.transactions.selectAccount(second, other: false).response)
    }
}
