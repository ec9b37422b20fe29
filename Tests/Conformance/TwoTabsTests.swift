import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Two tabs of one browser, in which different people log in")
struct TwoTabsTests {
    private static let bob = "bob@example.org"

    /// A login form of a second tab, which was shown before Ann logged in in the first.
    private func form(
        _ path: String = "/u/login", _ fixture: AttackWorld, _ browser: InProcessBrowser,
        _ changes: [String: String?] = [:]
    ) async throws -> InProcessBrowser.Form {
        let form = try await browser.open(AttackWorld.authorize(changes)).form(path)
        #expect(try await fixture.logIn(browser).parameters["code"] != nil)
        return form
    }

    private func subject(_ page: InProcessBrowser.Page, _ fixture: AttackWorld) async throws -> String? {
        let code = try page.parameters["code"].orThrow("no code at \(page.url): \(page.text)")
        let tokens = await fixture.redeem(code)
        return try await fixture.claims(tokens["id_token"])["sub"]?.stringValue
    }

    @Test("A right password logs in whom it belongs to, and the browser's session becomes theirs")
    func anotherUser() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        let form = try await form("/u/login", fixture, browser)
        let page = try await browser.send(form, ["username": Self.bob, "password": AttackWorld.password])
        #expect(try await subject(page, fixture) == "auth0|bob")
        let silent = try await browser.open(AttackWorld.authorize(["prompt": "none"]))
        #expect(try await subject(silent, fixture) == "auth0|bob")
    }

    @Test("A wrong password is refused, and no code is given; the right one afterwards is taken")
    func wrongPassword() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        let form = try await form("/u/login", fixture, browser)
        let refused = try await browser.send(form, ["username": Self.bob, "password": "wrong"])
        expectErrorPage(refused)
        #expect(try await fixture.server.auditKinds().filter { $0 == "fp" }.count == 1)
        let again = try refused.form("/u/login")
        let page = try await browser.send(again, ["username": Self.bob, "password": AttackWorld.password])
        #expect(try await subject(page, fixture) == "auth0|bob")
    }

    @Test("A sign-up makes the account that was typed, and logs in as it")
    func signUp() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        let form = try await form("/u/signup", fixture, browser, ["screen_hint": "signup"])
        let weak = try await browser.send(form, ["email": "new@example.org", "password": "password"])
        expectErrorPage(weak)
        let page = try await browser.send(
            weak.form("/u/signup"), ["email": "new@example.org", "password": "seven swans a swimming"])
        let subject = try await subject(page, fixture)
        #expect(subject?.hasPrefix("auth0|") == true && subject != "auth0|ann")
    }

    @Test("Where consent or an account's choice is what the session left to do, what was typed counts as well")
    func otherSteps() async throws {
        let fixture = try await AttackWorld()
        for changes in [["prompt": "consent"], ["prompt": "select_account"]] {
            let browser = fixture.browser()
            let form = try await form("/u/login", fixture, browser, changes)
            var page = try await browser.send(form, ["username": Self.bob, "password": AttackWorld.password])
            if page.path == "/u/consent" {
                #expect(page.text.contains(Self.bob))
                page = try await browser.send(page.form("/u/consent"), ["decision": "allow"])
            }
            #expect(try await subject(page, fixture) == "auth0|bob", "\(changes)")
        }
    }

    @Test("OIDC Core 3.1.2.3: the page that is only looked at goes on with the session")
    func looking() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        let form = try await form("/u/login", fixture, browser)
        let page = try await browser.open("/u/login?state=\(form.fields["state"] ?? "")")
        #expect(try await subject(page, fixture) == "auth0|ann")
    }

    @Test("A form that comes after its own login, without being the same, does not log in somebody else")
    func own() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        let form = try await browser.open(AttackWorld.authorize(["prompt": "consent"])).form("/u/login")
        let typed = ["username": AttackWorld.ann, "password": AttackWorld.password]
        #expect(try await browser.send(form, typed).path == "/u/consent")
        let late = try await browser.send(form, ["username": Self.bob, "password": AttackWorld.password])
        #expect(late.path == "/u/consent" && late.text.contains(AttackWorld.ann))
    }

    // MARK: coming back from a provider

    /// A provider without discovery whose only person is number 7. It refuses codes but `good`.
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
        let page = try await browser.open(AttackWorld.authorize(changes))
        let link = try page.links.first { $0.hasPrefix("/u/connection?") }.orThrow("no link at \(page.url)")
        return try await browser.open(link).parameters["state"].orThrow("no state")
    }

    @Test("Who comes back from a provider is logged in as whom it sent, though another tab logged in meanwhile")
    func upstream() async throws {
        let fixture = try await AttackWorld(Self.provider)
        let browser = fixture.browser()
        let state = try await leave(browser)
        #expect(try await fixture.logIn(browser).parameters["code"] != nil)
        let page = try await browser.open("/login/callback?code=good&state=\(state)")
        #expect(try await subject(page, fixture) == "idp|7")
    }

    @Test("A provider that is chosen on a page is gone to, though another tab logged in meanwhile")
    func chosen() async throws {
        let fixture = try await AttackWorld(Self.provider)
        let browser = fixture.browser()
        let page = try await browser.open(AttackWorld.authorize())
        #expect(try await fixture.logIn(browser).parameters["code"] != nil)
        let link = try page.links.first { $0.hasPrefix("/u/connection?") }.orThrow("no link")
        let there = try await browser.open(link)
        #expect(there.url.hasPrefix("https://idp.example/authorize?"), "\(there.url)")
    }

    @Test("A callback that is loaded again after the provider's refusal leads to the login that it belongs to")
    func reloaded() async throws {
        let fixture = try await AttackWorld(Self.provider)
        let browser = fixture.browser()
        let state = try await leave(browser)
        expectErrorPage(try await browser.open("/login/callback?code=bad&state=\(state)"))
        let page = try await browser.open("/login/callback?code=bad&state=\(state)")
        #expect(page.answer.status == 200 && page.path == "/u/login")
        let typed = ["username": AttackWorld.ann, "password": AttackWorld.password]
        #expect(try await subject(try await browser.send(page.form("/u/login"), typed), fixture) == "auth0|ann")
    }

    @Test("One that comes when its tab has logged in otherwise leads to where the login is")
    func late() async throws {
        let fixture = try await AttackWorld(Self.provider)
        let browser = fixture.browser()
        let form = try await browser.open(AttackWorld.authorize(["prompt": "consent"])).form("/u/login")
        let transaction = form.fields["state"] ?? ""
        let there = try await browser.open("/u/connection?connection=idp&state=\(transaction)")
        let state = there.parameters["state"] ?? ""
        let typed = ["username": AttackWorld.ann, "password": AttackWorld.password]
        #expect(try await browser.send(form, typed).path == "/u/consent")
        let page = try await browser.open("/login/callback?code=good&state=\(state)")
        #expect(page.path == "/u/consent" && page.text.contains(AttackWorld.ann))
    }
}
