import AuthorizationCore
@testable import Flows
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Logging out")
struct EndSessionTests {
    private static let back = "https://app.example/bye"

    private func fixture() async throws -> LoginFixture {
        try await LoginFixture(
            tenant: Samples.tenant { $0.settings.allowedLogoutURLs = ["https://tenant.example/bye"] },
            clients: [
                LoginFixture.app {
                    $0.allowedLogoutURLs = [Self.back, "https://app.example/bye?x=1"]
                    $0.backchannelLogoutURL = "https://app.example/backchannel"
                },
                LoginFixture.app("second") { $0.backchannelLogoutURL = "https://second.example/backchannel" },
                LoginFixture.app("quiet"),
            ])
    }

    private func hint(
        _ fixture: LoginFixture, _ session: SessionID?, client: String = "app", user: String = "auth0|ann",
        issuer: String = "https://dev.example/", type: String? = "JWT", signer: (any Signer)? = nil, age: Int64 = 0
    ) throws -> String {
        let signer = try signer ?? #require(fixture.configuration.keys.signer(for: .es256))
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": .string(user), "aud": .string(client),
            "iat": JSONValue(fixture.now.seconds - age), "exp": JSONValue(fixture.now.seconds - age + 60),
        ]
        if let session { claims["sid"] = .string(session.rawValue) }
        return try JWS.sign(JSONWriter.bytes(.object(claims)), type: type, with: signer)
    }

    private func oidc(
        _ fixture: LoginFixture, _ visitor: Visitor, _ parameters: [(name: String, value: String)],
        confirmed: Bool = false
    ) async throws -> EndSession.Answer {
        try await fixture.end.logOut(
            try Parameters(form: Array(FormFields(parameters).encoded.utf8)), confirmed: confirmed,
            browser: visitor.browser, context: fixture.context())
    }

    private func loggedIn(_ fixture: LoginFixture) async throws -> (visitor: Visitor, session: Session) {
        let visitor = Visitor()
        _ = try await fixture.enter(visitor).response
        return (visitor, try #require(try await fixture.session(of: visitor)))
    }

    // MARK: /v2/logout

    @Test("/v2/logout: returnTo may differ from the registered address in query and fragment only, as with Auth0")
    func returnToWithQuery() async throws {
        let fixture = try await fixture()
        for (registered, more) in [("", "?x=1"), ("", "#top"), ("", "?state=a/../b#c"), ("?a=1", "?b=2")] {
            var fixture = fixture
            fixture.settings { $0.allowedLogoutURLs = ["https://tenant.example/bye\(registered)"] }
            let wanted = "https://tenant.example/bye\(more)"
            #expect(try await fixture.logOut(Visitor(), [("returnTo", wanted)]).outcome == .redirect(wanted))
            for other in [
                "https://tenant.example/by\(more)", "https://tenant.example/bye/\(more)", "\(wanted)\r\nX: y",
            ] {
                #expect(
                    try await pageFailure { _ = try await fixture.logOut(Visitor(), [("returnTo", other)]) } == .logout)
            }
            // RP-Initiated Logout 3 compares the whole.
            #expect(
                try await pageFailure {
                    _ = try await oidc(fixture, Visitor(), [("post_logout_redirect_uri", wanted)], confirmed: true)
                } == .logout)
        }
    }

    @Test("/v2/logout: returnTo is one of the client's, or without a client the tenant's")
    func returnTo() async throws {
        let fixture = try await fixture()
        let (visitor, _) = try await loggedIn(fixture)
        let answer = try await fixture.logOut(visitor, [("client_id", "app"), ("returnTo", Self.back)])
        #expect(answer.outcome == .redirect(Self.back))
        #expect(answer.ended != nil)
        #expect(try await fixture.session(of: visitor) == nil)
        let tenant = try await fixture.logOut(visitor, [("returnTo", "https://tenant.example/bye")])
        #expect(tenant.outcome == .redirect("https://tenant.example/bye"))
        #expect(tenant.ended == nil, "nobody was logged in any more")
        #expect(try await fixture.logOut(visitor, [("client_id", "app")]).outcome == .redirect(Self.back))
        #expect(try await fixture.logOut(visitor, [("client_id", "quiet")]).outcome == .loggedOut)
        #expect(try await fixture.logOut(visitor).outcome == .loggedOut)
        #expect(try await fixture.log("slo").count == 1)
    }

    @Test(
        "RFC 9700 4.11: an address that is not registered is not followed, and nobody is logged out",
        arguments: [
            [("client_id", "app"), ("returnTo", "https://evil.example/")],
            [("client_id", "app"), ("returnTo", "https://app.example/bye/")],
            [("client_id", "app"), ("returnTo", "https://tenant.example/bye")],
            [("returnTo", "https://app.example/bye")], [("client_id", "none")],
            [("client_id", "app"), ("returnTo", "javascript:alert(1)")],
        ] as [[(String, String)]])
    func openRedirect(parameters: [(String, String)]) async throws {
        let fixture = try await fixture()
        let (visitor, _) = try await loggedIn(fixture)
        let named = parameters.map { (name: $0.0, value: $0.1) }
        #expect(try await pageFailure { _ = try await fixture.logOut(visitor, named) } == .logout)
        let renamed = named.map {
            (name: $0.name == "returnTo" ? "post_logout_redirect_uri" : $0.name, value: $0.value)
        }
        #expect(try await pageFailure { _ = try await oidc(fixture, visitor, renamed, confirmed: true) } == .logout)
        #expect(try await fixture.session(of: visitor) != nil)
    }

    // MARK: /oidc/logout

    @Test("RP-Initiated Logout 2: a hint of the browser's session logs out at once, also when it has expired")
    func hinted() async throws {
        let fixture = try await fixture()
        for age: Int64 in [0, 86_400] {
            let (visitor, session) = try await loggedIn(fixture)
            let answer = try await oidc(
                fixture, visitor,
                [
                    ("id_token_hint", try hint(fixture, session.id, age: age)),
                    ("post_logout_redirect_uri", "https://app.example/bye?x=1"), ("state", "a&b"),
                ])
            #expect(answer.outcome == .redirect("https://app.example/bye?x=1&state=a%26b"))
            #expect(answer.ended?.id == session.id)
            #expect(try await fixture.session(of: visitor) == nil)
        }
    }

    @Test("Without a hint, or with one of another session or user, the person is asked first")
    func confirm() async throws {
        let fixture = try await fixture()
        let (visitor, session) = try await loggedIn(fixture)
        let other = try hint(fixture, SessionID("other"))
        let stranger = try hint(fixture, nil, user: "auth0|bob")
        for parameters: [(name: String, value: String)] in [
            [], [("client_id", "app")], [("id_token_hint", other)], [("id_token_hint", stranger)],
            [("logout_hint", "other")],
        ] { #expect(try await oidc(fixture, visitor, parameters).outcome == .confirm(user: "ann@example.org")) }
        #expect(try await fixture.session(of: visitor) != nil)
        let sid = try await oidc(fixture, visitor, [("logout_hint", session.id.rawValue)])
        #expect(sid.outcome == .loggedOut)
        #expect(sid.ended != nil)
        let (again, _) = try await loggedIn(fixture)
        #expect(try await oidc(fixture, again, [], confirmed: true).ended != nil)
    }

    @Test("A hint without sid names its user's session")
    func withoutSession() async throws {
        let fixture = try await fixture()
        let (visitor, _) = try await loggedIn(fixture)
        #expect(try await oidc(fixture, visitor, [("id_token_hint", try hint(fixture, nil))]).ended != nil)
    }

    @Test("A browser without a session sees no question")
    func nobody() async throws {
        let fixture = try await fixture()
        let answer = try await oidc(
            fixture, Visitor(), [("client_id", "app"), ("post_logout_redirect_uri", Self.back)])
        #expect(answer.outcome == .redirect(Self.back))
        #expect(answer.ended == nil)
    }

    @Test("Hint, logout_hint and client_id must agree")
    func agree() async throws {
        let fixture = try await fixture()
        let (visitor, session) = try await loggedIn(fixture)
        let hint = try hint(fixture, session.id)
        for extra in [("client_id", "second"), ("logout_hint", "other")] {
            #expect(
                try await pageFailure {
                    _ = try await oidc(fixture, visitor, [("id_token_hint", hint), (extra.0, extra.1)])
                } == .logout)
        }
        let agreed = [("id_token_hint", hint), ("client_id", "app"), ("logout_hint", session.id.rawValue)]
        #expect(try await oidc(fixture, visitor, agreed.map { (name: $0.0, value: $0.1) }).ended != nil)
    }

    @Test("Only ID tokens of this server are accepted as hints")
    func forged() async throws {
        let fixture = try await fixture()
        let (visitor, session) = try await loggedIn(fixture)
        let foreign = try Keys.signer(.es256, "tenant of an attacker", keyID: "kid-ES256")
        for token in [
            try hint(fixture, session.id, signer: foreign), try hint(fixture, session.id, client: "none"),
            try hint(fixture, session.id, client: Samples.api), try hint(fixture, session.id, issuer: "https://evil/"),
            try hint(fixture, session.id, type: "logout+jwt"), try hint(fixture, session.id, type: "at+jwt"), "x.y.z",
            "x",
        ] {
            #expect(
                try await pageFailure { _ = try await oidc(fixture, visitor, [("id_token_hint", token)]) } == .logout)
        }
        #expect(try await fixture.session(of: visitor) != nil)
    }

    // MARK: back-channel

    private final class Recorder: LogoutNotifier {
        struct Down: Error {}
        let posted = Mutex<[String: String]>([:])

        func notify(_ url: String, logoutToken: String) async throws {
            if url.contains("second") { throw Down() }
            posted.withLock { $0[url] = logoutToken }
        }
    }

    @Test("Back-Channel Logout 2.4: each client of the session that wants it gets a logout token")
    func backchannel() async throws {
        let fixture = try await fixture()
        let (visitor, session) = try await loggedIn(fixture)
        for id in ["second", "quiet", "app"] { _ = try await fixture.authorize(visitor, ["client_id": id]).response }
        _ = try await fixture.logOut(visitor)
        let recorder = Recorder()
        let logout = BackchannelLogout(notifier: recorder, random: fixture.fixture.random)
        var told: [ClientID] = []
        for due in try await fixture.store.dueLogouts(now: fixture.now, perClient: 9, limit: 9) {
            do {
                if try await logout.notify(due, configuration: fixture.configuration, now: fixture.now) {
                    told.append(due.client)
                }
            } catch is Recorder.Down {
                #expect(due.client == ClientID("second"))
            }
        }
        #expect(told == [ClientID("app")])
        let posted = recorder.posted.withLock { $0 }
        #expect(Array(posted.keys) == ["https://app.example/backchannel"])
        let (header, claims) = try claims(posted["https://app.example/backchannel"], fixture.configuration)
        #expect(header["typ"] == "logout+jwt")
        #expect(claims["iss"] == "https://dev.example/")
        #expect(claims["aud"] == "app")
        #expect(claims["sub"] == "auth0|ann")
        #expect(claims["sid"] == .string(session.id.rawValue))
        #expect(claims["iat"] == JSONValue(fixture.now.seconds))
        #expect(claims["exp"] == JSONValue(fixture.now.seconds + 120))
        #expect(claims["events"] == ["http://schemas.openid.net/event/backchannel-logout": [:]])
        #expect(claims["jti"]?.stringValue?.isEmpty == false)
        #expect(claims["nonce"] == nil)
    }
}
