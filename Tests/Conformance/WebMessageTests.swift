import AuthorizationCore
import Flows
import HTTPModel
import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("response_mode=web_message: answers as messages to the client's page, as Auth0's SDK expects")
struct WebMessageTests {
    private static let origin = "https://shop.example"
    private static let callback = "https://shop.example/back?a=1"
    private static let loopback = "http://127.0.0.1:3000/callback"
    private static let foreign = "https://other.example/back"

    /// `page` has four redirect URIs and receives messages at two of their origins.
    private static func fixture(
        _ change: (inout InProcessServer.Setup) throws -> Void = { _ in }
    ) async throws -> AttackFixture {
        try await AttackFixture { setup in
            setup.clients.append(
                Samples.app("page") { client in
                    client.redirectURIs = [callback, foreign, Samples.callback, AttackFixture.loopback]
                        .compactMap { RedirectURI(registering: $0) }
                    client.webOrigins = [origin, "http://127.0.0.1:3000", "https://elsewhere.example"]
                        .compactMap { WebOrigin(registering: $0) }
                    client.allowedOrigins = [WebOrigin(registering: "https://other.example")].compactMap { $0 }
                })
            try change(&setup)
        }
    }

    /// Parameters that the SDK sends, with `changes`.
    private static func asking(_ changes: [String: String?] = [:]) -> [String: String?] {
        [
            "client_id": "page", "redirect_uri": callback, "response_mode": "web_message",
            "auth0Client": "eyJuYW1lIjoiYXV0aDAtc3BhLWpzIn0=",
        ].merging(changes) { $1 }
    }

    private static func silently(_ changes: [String: String?] = [:]) -> String {
        AttackFixture.authorize(asking(["prompt": "none"]).merging(changes) { $1 })
    }

    /// The target origin and the contents of a page's message.
    private struct Message {
        let target: String?
        let response: JSONValue

        init(_ page: InProcessBrowser.Page, sourceLocation: SourceLocation = #_sourceLocation) throws {
            let scripts = try Markup.read(page.answer.body).all("script")
            let script = try scripts.first.orThrow("no message at \(page.url): \(page.answer.status) \(page.text)")
            #expect(scripts.count == 1, sourceLocation: sourceLocation)
            target = script["data-target"]
            response = try JSONReader.parse(try script["data-response"].orThrow("no response"))
        }
    }

    @Test(
        "With a session, prompt=none posts a code to the redirect URI's origin, which alone may frame the page")
    func renewal() async throws {
        let fixture = try await Self.fixture()
        let browser = fixture.browser()
        _ = try await fixture.logIn(browser)
        let page = try await browser.open(Self.silently())
        #expect(page.answer.status == 200)
        let message = try Message(page)
        #expect(message.target == Self.origin)
        #expect(message.response["state"] == "the-clients-state")
        #expect(message.response["iss"]?.stringValue == "https://\(InProcessServer.host)/")
        #expect(message.response["error"] == nil)

        let policy = try page.answer.fields["Content-Security-Policy"].orThrow("no policy")
        #expect(policy.contains("frame-ancestors \(Self.origin);"))
        #expect(policy.contains("default-src 'none'") && !policy.contains("unsafe"))
        let script = try Markup.read(page.answer.body).all("script").map(\.text).joined()
        #expect(policy.contains("script-src 'sha256-\(Base64.encode(Samples.hashing.sha256(Array(script.utf8))))'"))
        for (name, value) in [
            ("X-Frame-Options", nil), ("Location", nil), ("Set-Cookie", nil), ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "unsafe-none"),
            ("Access-Control-Allow-Origin", nil),
        ] {
            #expect(page.answer.fields[name] == value, "\(name)")
        }

        let code = try (message.response["code"]?.stringValue).orThrow("no code")
        #expect(!browser.history.contains { $0.contains(code) })
        let tokens = await fixture.redeem(
            code, ["client_id": "page", "client_secret": nil, "redirect_uri": Self.callback])
        #expect(try await fixture.claims(tokens["id_token"])["nonce"] == "the-clients-nonce")
    }

    @Test(
        "OIDC Core 3.1.2.6: errors of prompt=none and of malformed requests are messages"
    )
    func errors() async throws {
        let fixture = try await Self.fixture { setup in
            setup.clients[setup.clients.count - 1].isFirstParty = false
        }
        let browser = fixture.browser()
        func error(_ changes: [String: String?] = [:]) async throws -> JSONValue {
            let message = try Message(try await browser.open(Self.silently(changes)))
            #expect(message.target == Self.origin)
            #expect(message.response["state"] == "the-clients-state")
            #expect(message.response["code"] == nil)
            return message.response
        }
        let answer = try await error()
        #expect(answer["error"] == "login_required")
        #expect(answer["error_description"] == "Login required")
        _ = try await fixture.logIn(browser)
        #expect(try await error()["error"] == "consent_required")
        #expect(try await error(["code_challenge": nil])["error"] == "invalid_request")
        #expect(try await error(["response_type": "token"])["error"] == "unsupported_response_type")
        #expect(try await error(["scope": String(repeating: "a", count: 5000)])["error"] == "invalid_request")
        #expect(try await error(["max_age": "0"])["error"] == "login_required")
        let twice = try Message(try await browser.open(Self.silently() + "&scope=email"))
        #expect(twice.response["error"] == "invalid_request")
    }

    @Test(
        "An origin that differs from every web_origin gets neither frame nor message, even with a session",
        arguments: [
            foreign, Samples.callback, "http://127.0.0.1:3001/callback", "http://127.0.0.1/callback",
            "https://elsewhere.example/", "https://shop.example/", "https://evil.example/back",
        ])
    func foreignOrigins(redirectURI: String) async throws {
        let fixture = try await Self.fixture()
        let browser = fixture.browser()
        _ = try await fixture.logIn(browser)
        for prompt in ["none", nil] {
            let page = try await browser.open(Self.silently(["redirect_uri": redirectURI, "prompt": prompt]))
            expectErrorPage(page)
            expectGuarded(page.answer)
            #expect(page.answer.fields["Cross-Origin-Opener-Policy"] == "same-origin")
            #expect(try Markup.read(page.answer.body).all("script").isEmpty)
        }
        let pushed = await fixture.post(
            "/oauth/par",
            [
                "client_id": "page", "redirect_uri": redirectURI, "response_mode": "web_message",
                "response_type": "code", "scope": "openid", "code_challenge_method": "S256",
                "code_challenge": CodeChallenge(of: Samples.verifier, Samples.hashing).description,
            ])
        #expect(pushed.status == 400)
        #expect(pushed["error"] == "invalid_request")
    }

    @Test("RFC 8252 7.3: the message's origin includes the port of a loopback address")
    func loopback() async throws {
        let fixture = try await Self.fixture()
        let browser = fixture.browser()
        _ = try await fixture.logIn(browser)
        let message = try Message(try await browser.open(Self.silently(["redirect_uri": Self.loopback])))
        #expect(message.target == "http://127.0.0.1:3000")
        #expect(message.response["code"] != nil)
    }

    @Test(
        "state comes back unchanged and stays text",
        arguments: [
            "</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' + alert(1) + '", "<!--<script>",
            "\\u003c/script\\u003e", "{\"code\":\"x\"}", "\u{2028}\u{2029}\u{FEFF}é", "a\tb", "bzRkfg~-._==",
        ])
    func hostileState(state: String) async throws {
        let fixture = try await Self.fixture()
        let page = try await fixture.browser().open(Self.silently(["state": state]))
        let message = try Message(page)
        #expect(message.response["state"]?.stringValue == state)
        #expect(message.response["error"] == "login_required")
    }

    @Test("In a pop-up the ordinary pages appear, unframed, without severing window.opener")
    func popUp() async throws {
        let fixture = try await Self.fixture()
        let browser = fixture.browser()
        let form = try await browser.open(AttackFixture.authorize(Self.asking())).form("/u/login")
        let wrong = try await browser.send(form, ["username": AttackFixture.ann, "password": "wrong"])
        let state = try form.fields["state"].orThrow("no state")
        _ = try await browser.open("/u/login?state=\(state)&ui_locales=fr")
        _ = try await browser.open("/u/signup?state=\(state)")
        let forgot = try await browser.open("/u/forgot-password?state=\(state)")
        _ = try await browser.send(forgot.form("/u/forgot-password"), ["email": "nobody@example.org"])
        expectErrorPage(try await browser.send(InProcessBrowser.Form(action: "/u/login", fields: ["state": state])))
        for answer in browser.answers where answer.fields.mediaType == "text/html" {
            expectGuarded(answer)
            #expect(answer.fields["Cross-Origin-Opener-Policy"] == "unsafe-none")
        }
        // A redirect without the field means unsafe-none.
        for answer in browser.answers { #expect(answer.fields["Cross-Origin-Opener-Policy"] != "same-origin") }

        let page = try await browser.send(
            wrong.form("/u/login"), ["username": AttackFixture.ann, "password": AttackFixture.password])
        let message = try Message(page)
        #expect(message.target == Self.origin)
        #expect(message.response["state"] == "the-clients-state")
        #expect(page.text.contains("Return to the window of the application"))
        #expect(page.answer.fields["Cross-Origin-Opener-Policy"] == "unsafe-none")
        let code = try (message.response["code"]?.stringValue).orThrow("no code")
        let tokens = await fixture.redeem(
            code, ["client_id": "page", "client_secret": nil, "redirect_uri": Self.callback])
        #expect(try await fixture.claims(tokens["id_token"])["sub"] == "auth0|ann")
    }

    @Test("HTML 7.1.3: pages of other logins, and pages outside logins, sever window.opener")
    func otherLogins() async throws {
        let fixture = try await Self.fixture()
        let browser = fixture.browser()
        let state =
            try await browser.open(AttackFixture.authorize(Self.asking())).form("/u/login").fields["state"] ?? ""
        for address in [
            AttackFixture.authorize(), AttackFixture.authorize(Self.asking(["response_mode": "form_post"])),
            "/oidc/logout?state=\(state)", "/authorize?state=\(state)", "/v2/logout?state=\(state)",
        ] {
            let page = try await browser.open(address)
            #expect(page.answer.fields["Cross-Origin-Opener-Policy"] == "same-origin", "\(address)")
        }
    }

    @Test("A login that the phone rejects ends with an error message to the client")
    func rejected() async throws {
        let fixture = try await Self.fixture { $0.tenant.settings.multiFactor = .always }
        let phone = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        let page = try await fixture.logIn(browser, Self.asking())
        #expect(page.answer.fields["Cross-Origin-Opener-Policy"] == "unsafe-none")
        let notified = try await phone.notifications().last.orThrow("the phone was not asked")
        let answer = await fixture.server.send(
            phone.answerRequest(notified, response: try phone.response(to: notified, accepted: false)))
        #expect(answer.status == 204)
        let message = try Message(try await browser.send(page.form("/u/mfa-push")))
        #expect(message.target == Self.origin)
        #expect(message.response["error"] == "access_denied")
        #expect(message.response["code"] == nil)
    }

    @Test("A form submitted twice gives the message both times and invalidates the first code")
    func twice() async throws {
        let fixture = try await Self.fixture()
        let browser = fixture.browser()
        let form = try await browser.open(AttackFixture.authorize(Self.asking())).form("/u/login")
        let typed = ["username": AttackFixture.ann, "password": AttackFixture.password]
        let first = try Message(try await browser.send(form, typed))
        let second = try Message(try await browser.send(form, typed))
        #expect(second.target == Self.origin)
        #expect(first.response["code"] != second.response["code"])
        for (message, status) in [(first, 400), (second, 200)] {
            let answer = await fixture.redeem(
                message.response["code"]?.stringValue ?? "",
                ["client_id": "page", "client_secret": nil, "redirect_uri": Self.callback])
            #expect(answer.status == status)
        }
    }

    @Test("RFC 9126: a pushed request can ask for a message")
    func pushed() async throws {
        let fixture = try await Self.fixture()
        let pushed = await fixture.post(
            "/oauth/par",
            [
                "client_id": "page", "redirect_uri": Self.callback, "response_mode": "web_message", "prompt": "none",
                "response_type": "code", "scope": "openid", "code_challenge_method": "S256", "state": "pushed",
                "code_challenge": CodeChallenge(of: Samples.verifier, Samples.hashing).description,
            ])
        let uri = try (pushed["request_uri"]?.stringValue).orThrow("\(pushed.text)")
        let page = try await fixture.browser().open(
            "/authorize?" + FormFields([("client_id", "page"), ("request_uri", uri)]).encoded)
        #expect(try Message(page).response["error"] == "login_required")
        #expect(try Message(page).response["state"] == "pushed")
    }
}
