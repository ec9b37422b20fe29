import AuthorizationCore
import Flows
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Consent in the authorization code flow")
struct ConsentPageTests {
    private static let third = LoginFixture.app("third") { $0.isFirstParty = false }

    private func fixture() async throws -> LoginFixture {
        try await LoginFixture(clients: [LoginFixture.app(), Self.third])
    }

    private let changes: [String: String?] = [
        "client_id": "third", "audience": Samples.api, "scope": "openid pay:read",
    ]

    @Test("The consent page of a third party shows once, and again for more scope")
    func remembered() async throws {
        let fixture = try await fixture()
        let visitor = Visitor()
        let page = try await fixture.enter(visitor, changes).page
        #expect(page.step == .consent)
        #expect(page.access.scope.description == "openid pay:read")
        #expect(page.access.audience == Samples.api)
        #expect(page.user?.email == "ann@example.org")
        _ = try await fixture.code(fixture.allow(page).response)
        #expect(try await fixture.log("consent_given").map(\.client) == ["third"])
        _ = try await fixture.code(fixture.authorize(visitor, changes).response)
        let more = changes.merging(["scope": "openid pay:read pay:send"]) { $1 }
        #expect(try await fixture.authorize(visitor, more).page.step == .consent)
        let forced = changes.merging(["prompt": "consent"]) { $1 }
        #expect(try await fixture.authorize(visitor, forced).page.step == .consent)
        let elsewhere: [String: String?] = ["client_id": "third", "scope": "openid"]
        #expect(
            try await fixture.authorize(visitor, elsewhere).page.step == .consent, "another audience is another consent"
        )
    }

    @Test("RFC 6749 4.1.2.1: a refusal is access_denied, ends the login, and leaves the session")
    func denied() async throws {
        let fixture = try await fixture()
        let visitor = Visitor()
        let page = try await fixture.enter(visitor, changes).page
        let response = try await fixture.consent.deny(page).response
        #expect(response.parameters["error"] == "access_denied")
        #expect(response.parameters["state"] == "xyz")
        #expect(response.parameters["iss"] == "https://dev.example/")
        #expect(try await pageFailure { _ = try await fixture.open(page.id, visitor) } == .transaction)
        #expect(try await pageFailure { _ = try await fixture.allow(page) } == .transaction)
        #expect(try await fixture.log("consent_denied").count == 1)
        _ = try await fixture.authorize(visitor).response
    }

    @Test("Consents are listed and revoked")
    func managed() async throws {
        let fixture = try await fixture()
        let visitor = Visitor()
        _ = try await fixture.allow(try await fixture.enter(visitor, changes).page)
        let consents = ManageConsents(store: fixture.store)
        let ann = UserID("auth0|ann")
        let listed = try await consents.list(of: ann, tenant: fixture.tenant)
        #expect(listed.map(\.client.rawValue) == ["third"])
        #expect(listed.map(\.scope.description) == ["openid pay:read"])
        func revoke(_ audience: String?) async throws -> Bool {
            try await consents.revoke(
                of: ann, to: ClientID("third"), audience: audience, tenant: fixture.tenant, by: nil,
                remoteAddress: FlowFixture.remote, now: fixture.now)
        }
        #expect(try await !revoke("https://else/"))
        #expect(try await revoke(nil))
        #expect(try await fixture.authorize(visitor, changes).page.step == .consent)
    }

    @Test("A logout, or another user's login, in another tab does not consent for the first user")
    func sessionEnded() async throws {
        let fixture = try await fixture()
        let visitor = Visitor()
        let page = try await fixture.enter(visitor, changes).page
        _ = try await fixture.logOut(visitor)
        #expect(try await fixture.open(page.id, visitor).step == .logIn)
        #expect(try await pageFailure { _ = try await fixture.allow(page) } == .transaction)
        #expect(try await fixture.count(.codes) == 0)
    }
}
