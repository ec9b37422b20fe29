import AuthorizationCore
import Flows
import JOSE
import Localization
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("A second login in one browser, and id_token_hint")
struct SessionContinuityTests {
    private let fixture: LoginFixture
    private let visitor = Visitor()

    init() async throws {
        fixture = try await LoginFixture(clients: [LoginFixture.app(), LoginFixture.app("second")])
        _ = try await fixture.enter(visitor).response
    }

    private func session() async throws -> Session { try #require(try await fixture.session(of: visitor)) }

    private func hint(of user: String = "auth0|ann") throws -> String {
        let signer = try #require(fixture.configuration.keys.signer(for: .es256))
        let claims: JSONObject = [
            "iss": "https://dev.example/", "sub": .string(user), "aud": "app",
            "iat": JSONValue(fixture.now.seconds - 90),
            "exp": JSONValue(fixture.now.seconds - 60),
        ]
        return try JWS.sign(JSONWriter.bytes(.object(claims)), type: "JWT", with: signer)
    }

    @Test("Back-Channel Logout 2.4: a second login keeps the sid, and all its clients hear of its end")
    func renewed() async throws {
        let before = try await session()
        let cookie = visitor.sessionCookie
        let page = try await fixture.authorize(visitor, ["prompt": "login", "client_id": "second"]).page
        let answer = visitor.take(
            try await fixture.logIn.logIn(
                page, name: "ann@example.org", password: LoginFixture.password))
        #expect(try answer.error == nil)
        #expect(try await fixture.logouts() == [])
        let after = try await session()
        #expect(after.id == before.id)
        #expect(visitor.sessionCookie != cookie, "the old cookie is worth nothing")
        #expect(try await fixture.count(.sessions) == 1)
        _ = try await fixture.logOut(visitor)
        #expect(try await fixture.logouts() == ["app \(before.id)", "second \(before.id)"])
    }

    @Test("Another user's session that a login replaces ends, and its clients are to hear of it")
    func replaced() async throws {
        let before = try await session()
        let page = try await fixture.authorize(visitor, ["prompt": "login", "screen_hint": "signup"]).page
        _ = visitor.take(
            try await fixture.signUp.signUp(
                page, email: "bob@example.org", password: "battery staple", name: nil, language: .english))
        #expect(try await fixture.logouts() == ["app \(before.id)"])
        #expect(try await session().id != before.id)
        #expect(try await fixture.count(.sessions) == 1)
    }

    @Test("OIDC Core 3.1.2.1: only a session of its user answers a request with id_token_hint")
    func hinted() async throws {
        let theirs = try hint()
        let other = try hint(of: "auth0|ben")
        #expect(try await fixture.authorize(visitor, ["prompt": "none", "id_token_hint": theirs]).error == nil)
        #expect(
            try await fixture.authorize(visitor, ["prompt": "none", "id_token_hint": other]).error == "login_required")
        #expect(try await fixture.authorize(visitor, ["id_token_hint": "junk"]).error == "invalid_request")
        let page = try await fixture.authorize(visitor, ["id_token_hint": other]).page
        #expect(page.step == .logIn)
        let answer = try await fixture.logIn.logIn(
            page, name: "ann@example.org", password: LoginFixture.password)
        #expect(try answer.error == "login_required")
        #expect(try await fixture.log("f").last?.details.contains("id_token_hint") == true)
        let own = try await fixture.authorize(visitor, ["id_token_hint": theirs, "prompt": "login"]).page
        #expect(
            try await fixture.logIn.logIn(
                own, name: "ann@example.org", password: LoginFixture.password
            ).error == nil)
    }
}
