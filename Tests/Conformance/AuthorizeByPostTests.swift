import AuthorizationCore
import HTTPModel
import Localization
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("OIDC Core 3.1.2.1: authorization requests by POST from other sites, which send no cookie")
struct AuthorizeByPostTests {
    /// A form from another site whose fields exceed the 8,000 bytes that every server accepts in a URL.
    private func form(_ changes: [String: String?] = [:], long: Bool = true) throws -> InProcessBrowser.Form {
        var parameters = AttackFixture.authorize().split(separator: "?").last.map(String.init) ?? ""
        if long {
            let slashes = String(repeating: "/", count: 500)
            let more = FormFields([("login_hint", String(repeating: "/", count: 200))]).encoded
            parameters += "&" + more
            let state = String(repeating: slashes, count: 4)
            parameters = parameters.replacing("state=the-clients-state", with: FormFields([("state", state)]).encoded)
                .replacing("nonce=the-clients-nonce", with: FormFields([("nonce", slashes)]).encoded)
        }
        var fields: [String: String] = [:]
        for (name, value) in try FormFields(parsing: Array(parameters.utf8)).pairs { fields[name] = value }
        for (name, value) in changes { fields[name] = value }
        return InProcessBrowser.Form(action: "/authorize", fields: fields)
    }

    private static let origin = "https://web.example"

    @Test("A request too long for a URL leads to a login with all of its parameters")
    func long() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let sent = try form()
        let page = try await browser.send(sent, origin: Self.origin)
        #expect(browser.history.allSatisfy { $0.utf8.count < 8_000 })
        let back = try await browser.send(
            page.form("/u/login"), ["username": AttackFixture.ann, "password": AttackFixture.password])
        #expect(back.parameters["state"] == sent.fields["state"])
        let tokens = await fixture.redeem(try back.parameters["code"].orThrow("no code"))
        #expect(try await fixture.claims(tokens["id_token"])["nonce"]?.stringValue == sent.fields["nonce"])
    }

    @Test("Too many requests from one address get a page with the time to retry, by GET and by POST")
    func limited() async throws {
        let fixture = try await AttackFixture { $0.tenant.settings.loginsPerMinutePerAddress = 2 }
        _ = try await fixture.browser().send(form(), origin: Self.origin)
        let before = try await fixture.server.dump()
        for language in Language.allCases {
            let word = language.texts.failure.page.tooManyLogins(60)
            let browser = fixture.browser(fields: ["Accept-Language": language.rawValue])
            let opened = try await browser.open(AttackFixture.authorize())
            let sent = try await browser.send(form(), origin: Self.origin)
            for page in [opened, sent] {
                expectErrorPage(page, 429)
                #expect(page.answer.fields["Retry-After"] == "60")
                #expect(page.text.contains(word))
            }
        }
        #expect(try await fixture.server.dump() == before)
    }

    @Test("A short request is redirected to the equivalent URL, and nothing is stored")
    func short() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let before = try await fixture.server.dump()
        let sent = try form(long: false)
        let request = Request(
            method: .post, path: "/authorize",
            fields: ["Host": InProcessServer.host, "Content-Type": "application/x-www-form-urlencoded"],
            body: Array(FormFields(sent.fields.map { ($0.key, $0.value) }).encoded.utf8))
        let answer = await browser.request(request)
        #expect(answer.status == 303)
        #expect(answer.fields["Location"]?.contains("state=the-clients-state") == true)
        #expect(try await fixture.server.dump() == before)
    }

    @Test("A long request has no more rights than the same request in a URL, though it is stored like a pushed one")
    func rights() async throws {
        let fixture = try await AttackFixture { setup in
            setup.clients.append(
                Samples.website("pushing") { $0.requiresPushedAuthorizationRequests = true })
        }
        for changes in [
            ["authorization_details": #"[{"type":"money_transfer"}]"#], ["client_id": "pushing"], ["request": "x"],
            ["prompt": "none login"],
        ] {
            let page = try await fixture.browser().send(try form(changes), origin: Self.origin)
            #expect(page.parameters["error"] != nil && page.parameters["code"] == nil, "\(changes) \(page.url)")
            #expect(page.parameters["state"] != nil)
        }
    }

    @Test("RFC 6749 4.1.2.1: an unknown client or redirect URI is answered with a page at once")
    func unknown() async throws {
        let fixture = try await AttackFixture()
        let long = String(repeating: "/", count: 4_000)
        for changes in [
            ["client_id": "nobody"], ["redirect_uri": "https://evil.example/"], ["client_id": long],
            ["request_uri": "urn:ietf:params:oauth:request_uri:\(long)"],
        ] {
            expectErrorPage(try await fixture.browser().send(try form(changes), origin: Self.origin))
        }
    }

    @Test("RFC 9126 4: parameters beside a request_uri are ignored, however long")
    func pushed() async throws {
        let fixture = try await AttackFixture()
        let pushed = await fixture.post(
            "/oauth/par",
            [
                "client_id": "web", "client_secret": Samples.secret, "response_type": "code",
                "redirect_uri": AttackFixture.callback, "scope": "openid", "state": "pushed",
                "code_challenge": CodeChallenge(of: Samples.verifier, Samples.hashing).description,
                "code_challenge_method": "S256",
            ])
        let uri = try (pushed["request_uri"]?.stringValue).orThrow("\(pushed.text)")
        let browser = fixture.browser()
        let page = try await browser.send(try form(["request_uri": uri]), origin: Self.origin)
        let typed = ["username": AttackFixture.ann, "password": AttackFixture.password]
        #expect(try await browser.send(page.form("/u/login"), typed).parameters["state"] == "pushed")
    }
}
