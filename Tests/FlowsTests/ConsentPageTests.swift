@testable import Administration
import Audit
import AuthorizationCore
import Configuration
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

    private func consents(_ fixture: LoginFixture, _ audience: String? = nil) async throws -> [ConsentGrant] {
        let filter = ConsentFilter(user: UserID("auth0|ann"), client: ClientID("third"), audience: audience)
        let grants = ManageGrants(store: fixture.fixture.made.store)
        return try await grants.list(filter, in: fixture.tenant.id, skip: 0, limit: 10).grants
    }

    @Test("Consents are listed and revoked")
    func managed() async throws {
        let fixture = try await fixture()
        let visitor = Visitor()
        _ = try await fixture.allow(try await fixture.enter(visitor, changes).page)
        let given = try await consents(fixture)
        #expect(given.map(\.client.rawValue) == ["third"])
        #expect(given.map(\.scope.description) == ["openid pay:read"])
        #expect(try await consents(fixture, "https://else/").isEmpty)
        let context = AdministrativeContext(tenant: fixture.tenant.id, actor: .account("root"), now: fixture.now)
        let grants = ManageGrants(store: fixture.fixture.made.store)
        let ofAnother = ConsentFilter(user: UserID("auth0|ann"), client: ClientID("other"))
        #expect(try await grants.remove(ofAnother, for: context).isEmpty)
        let removed = try await grants.remove(
            ConsentFilter(user: UserID("auth0|ann"), client: ClientID("third")), for: context)
        #expect(removed.map(\.id) == given.map(\.id))
        #expect(try await consents(fixture).isEmpty)
        #expect(try await fixture.log("sapi").count == 1)
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
