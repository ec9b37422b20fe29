import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Two tabs of one browser with different users")
struct TwoTabsTests {
    private static let bob = "bob@example.org"

    /// The login form of a second tab, loaded before Ann logged in in the first.
    private func form(
        _ path: String = "/u/login", _ fixture: AttackFixture, _ browser: InProcessBrowser,
        _ changes: [String: String?] = [:]
    ) async throws -> InProcessBrowser.Form {
        let form = try await browser.open(AttackFixture.authorize(changes)).form(path)
        #expect(try await fixture.logIn(browser).parameters["code"] != nil)
        return form
    }

    private func subject(_ page: InProcessBrowser.Page, _ fixture: AttackFixture) async throws -> String? {
        let code = try page.parameters["code"].orThrow("no code at \(page.url): \(page.text)")
        let tokens = await fixture.redeem(code)
        return try await fixture.claims(tokens["id_token"])["sub"]?.stringValue
    }

    @Test("A right password logs in its user, whose session replaces the browser's")
    func anotherUser() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let form = try await form("/u/login", fixture, browser)
        let page = try await browser.send(form, ["username": Self.bob, "password": AttackFixture.password])
        #expect(try await subject(page, fixture) == "auth0|bob")
        let silent = try await browser.open(AttackFixture.authorize(["prompt": "none"]))
        #expect(try await subject(silent, fixture) == "auth0|bob")
    }

    @Test("A wrong password is refused without a code, and the right one works afterwards")
    func wrongPassword() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let form = try await form("/u/login", fixture, browser)
        let refused = try await browser.send(form, ["username": Self.bob, "password": "wrong"])
        expectErrorPage(refused)
        #expect(try await fixture.server.auditKinds().filter { $0 == "fp" }.count == 1)
        let again = try refused.form("/u/login")
        let page = try await browser.send(again, ["username": Self.bob, "password": AttackFixture.password])
        #expect(try await subject(page, fixture) == "auth0|bob")
    }

    @Test("A sign-up creates the typed account and logs in as that user")
    func signUp() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let form = try await form("/u/signup", fixture, browser, ["screen_hint": "signup"])
        let weak = try await browser.send(form, ["email": "new@example.org", "password": "password"])
        expectErrorPage(weak)
        let page = try await browser.send(
            weak.form("/u/signup"), ["email": "new@example.org", "password": "seven swans a swimming"])
        let subject = try await subject(page, fixture)
        #expect(subject?.hasPrefix("auth0|") == true && subject != "auth0|ann")
    }

    @Test("The typed user counts even if the session only lacked consent or the choice of an account")
    func otherSteps() async throws {
        let fixture = try await AttackFixture()
        for changes in [["prompt": "consent"], ["prompt": "select_account"]] {
            let browser = fixture.browser()
            let form = try await form("/u/login", fixture, browser, changes)
            var page = try await browser.send(form, ["username": Self.bob, "password": AttackFixture.password])
            if page.path == "/u/consent" {
                #expect(page.text.contains(Self.bob))
                page = try await browser.send(page.form("/u/consent"), ["decision": "allow"])
            }
            #expect(try await subject(page, fixture) == "auth0|bob", "\(changes)")
        }
    }

    @Test("OIDC Core 3.1.2.3: reloading the page continues with the session")
    func looking() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let form = try await form("/u/login", fixture, browser)
        let page = try await browser.open("/u/login?state=\(form.fields["state"] ?? "")")
        #expect(try await subject(page, fixture) == "auth0|ann")
    }

    @Test("A different form after the login ended does not log in another user")
    func own() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let form = try await browser.open(AttackFixture.authorize(["prompt": "consent"])).form("/u/login")
        let typed = ["username": AttackFixture.ann, "password": AttackFixture.password]
        #expect(try await browser.send(form, typed).path == "/u/consent")
        let late = try await browser.send(form, ["username": Self.bob, "password": AttackFixture.password])
        #expect(late.path == "/u/consent" && late.text.contains(AttackFixture.ann))
    }

    // MARK: coming back from a provider

    /// A provider without discovery whose only user is number 7. It accepts only the code `good`.
    private static func provider(_ setup: inout InProcessServer.Setup) throws {
        let origin = "https://idp.example"
        let endpoint = { (path: String) in try EndpointURL("\(origin)/\(path)").orThrow("no URL") }
        let context = UpstreamProvider.sealingContext(tenant: setup.tenant.id, connection: "idp")
        setup.connections.append(
            LoginConnection(
                name: "idp", displayName: "Provider",
                kind: .upstream(
                    UpstreamProvider(
                        dialect: .oauth2(
                            OAuth2Endpoints(
                                authorization: try endpoint("authorize"), token: try endpoint("token"),
                                userInfo: try endpoint("me"))),
                        clientID: "here", sealedSecret: try Samples.sealer.seal(Array("secret".utf8), context: context),
                        scope: "profile"))))
        setup.http = HandlerClient([
            origin: { request in
                let isGood = try? FormFields(parsing: request.body)["code"] == "good"
                return switch (request.path, isGood) {
                case ("/me", _): Self.json(#"{"sub":"7","name":"Seven"}"#)
                case (_, true): Self.json(#"{"access_token":"t","token_type":"Bearer"}"#)
                default: Self.json(#"{"error":"invalid_grant"}"#, status: 400)
                }
            }
        ])
    }

    private static func json(_ text: String, status: Int = 200) -> Response {
        Response(status: status, fields: ["Content-Type": "application/json"], body: .bytes(Array(text.utf8)))
    }

    /// Leads a tab to the provider, and returns the `state` that it brought there.
    private func leave(_ browser: InProcessBrowser, _ changes: [String: String?] = [:]) async throws -> String {
        let page = try await browser.open(AttackFixture.authorize(changes))
        let link = try page.links.first { $0.hasPrefix("/u/connection?") }.orThrow("no link at \(page.url)")
        return try await browser.open(link).parameters["state"].orThrow("no state")
    }

    @Test("The upstream provider's user is logged in although another tab logged in meanwhile")
    func upstream() async throws {
        let fixture = try await AttackFixture(Self.provider)
        let browser = fixture.browser()
        let state = try await leave(browser)
        #expect(try await fixture.logIn(browser).parameters["code"] != nil)
        let page = try await browser.open("/login/callback?code=good&state=\(state)")
        #expect(try await subject(page, fixture) == "idp|7")
    }

    @Test("Choosing a provider leads there although another tab logged in meanwhile")
    func chosen() async throws {
        let fixture = try await AttackFixture(Self.provider)
        let browser = fixture.browser()
        let page = try await browser.open(AttackFixture.authorize())
        #expect(try await fixture.logIn(browser).parameters["code"] != nil)
        let link = try page.links.first { $0.hasPrefix("/u/connection?") }.orThrow("no link")
        let there = try await browser.open(link)
        #expect(there.url.hasPrefix("https://idp.example/authorize?"), "\(there.url)")
    }

    @Test("Reloading a callback after the provider's refusal leads to its own login")
    func reloaded() async throws {
        let fixture = try await AttackFixture(Self.provider)
        let browser = fixture.browser()
        let state = try await leave(browser)
        expectErrorPage(try await browser.open("/login/callback?code=bad&state=\(state)"))
        let page = try await browser.open("/login/callback?code=bad&state=\(state)")
        #expect(page.answer.status == 200 && page.path == "/u/login")
        let typed = ["username": AttackFixture.ann, "password": AttackFixture.password]
        #expect(try await subject(try await browser.send(page.form("/u/login"), typed), fixture) == "auth0|ann")
    }

    @Test("A callback after its tab logged in otherwise leads to the current step")
    func late() async throws {
        let fixture = try await AttackFixture(Self.provider)
        let browser = fixture.browser()
        let form = try await browser.open(AttackFixture.authorize(["prompt": "consent"])).form("/u/login")
        let transaction = form.fields["state"] ?? ""
        let there = try await browser.open("/u/connection?connection=idp&state=\(transaction)")
        let state = there.parameters["state"] ?? ""
        let typed = ["username": AttackFixture.ann, "password": AttackFixture.password]
        #expect(try await browser.send(form, typed).path == "/u/consent")
        let page = try await browser.open("/login/callback?code=good&state=\(state)")
        #expect(page.path == "/u/consent" && page.text.contains(AttackFixture.ann))
    }
}
