import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Attacks through leaks: RFC 9700 4.2, 4.3, 4.6, 4.9, 4.10, 4.16, 4.17")
struct LeakageAttackTests {
    /// A browser that visited every page that needs no second factor.
    private func tourist(_ fixture: AttackFixture) async throws -> InProcessBrowser {
        let browser = fixture.browser()
        var page = try await browser.open(
            AttackFixture.authorize(["client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1"]))
        let state = try page.form("/u/login").fields["state"].orThrow("no state")
        let form = try page.form("/u/login")
        page = try await browser.send(form, ["username": "x", "password": "y"])
        _ = try await browser.send(form, ["username": AttackFixture.ann, "password": "wrong"])
        _ = try await browser.open("/u/signup?state=\(state)")
        page = try await browser.open("/u/forgot-password?state=\(state)")
        _ = try await browser.send(page.form, ["email": AttackFixture.ann])
        _ = try await browser.open("/u/reset-password?ticket=unknown")
        _ = try await browser.send(form, ["csrf": "wrong"])
        page = try await browser.send(form, ["username": AttackFixture.ann, "password": AttackFixture.password])
        #expect(page.path == "/u/consent")
        page = try await browser.send(page.form("/u/consent"), ["decision": "allow"])
        #expect(page.isAway)
        _ = try await browser.open(AttackFixture.authorize(["prompt": "select_account"]))
        _ = try await browser.open(AttackFixture.authorize(["response_mode": "form_post"]))
        _ = try await browser.open("/oidc/logout?client_id=web")
        _ = try await browser.open("/oidc/logout?id_token_hint=x")
        _ = try await browser.open("/login/callback?state=x.y&code=z")
        _ = try await browser.open("/login/callback")
        _ = try await browser.open("/v2/logout")
        return browser
    }

    @Test("RFC 9700 4.2.4: no page and no redirect sends its address as a referrer")
    func referrer() async throws {
        let browser = try await tourist(try await AttackFixture())
        for answer in browser.answers {
            let policy = answer.fields.values(of: "Referrer-Policy")
            #expect(policy == ["no-referrer"] || policy == ["same-origin"], "\(answer.status) \(answer.text)")
        }
    }

    @Test("RFC 9700 4.2.4: pages load nothing from and link to no other site")
    func thirdParties() async throws {
        let browser = try await tourist(try await AttackFixture())
        for answer in browser.answers where answer.fields.mediaType == "text/html" {
            let root = try Markup.read(answer.body)
            for element in root.all {
                for name in ["src", "href", "action", "srcset", "formaction"] {
                    guard let url = element[name], !url.hasPrefix("/") && !url.hasPrefix("#") else { continue }
                    #expect(url == AttackFixture.callback, "\(element.name) \(url)")
                }
            }
            #expect(root.all("script").allSatisfy { $0["src"] != nil && $0.text.isEmpty })
            #expect(root.all("style").isEmpty && root.all("iframe").isEmpty && root.all("object").isEmpty)
            #expect(root.all.allSatisfy { element in !element.attributes.contains { $0.name.hasPrefix("on") } })
        }
    }

    @Test("RFC 9700 4.3.1: a code from the history is useless: it works once, for its client, within a minute")
    func codesInHistory() async throws {
        let fixture = try await AttackFixture()
        let code = try await fixture.code()
        #expect(await fixture.redeem(code).status == 200)
        expectError(await fixture.redeem(code), 400, "invalid_grant")
        let late = try await fixture.code()
        fixture.server.advance(.seconds(AuthorizationCode.lifetime))
        expectError(await fixture.redeem(late), 400, "invalid_grant")
        #expect(AuthorizationCode.lifetime <= 60)
    }

    @Test("RFC 9700 4.3.1: the answer with the code is not cached, so that the back button does not show it")
    func noStore() async throws {
        let browser = try await tourist(try await AttackFixture())
        #expect(browser.answers.allSatisfy { $0.fields["Cache-Control"] == "no-store" })
    }

    @Test("RFC 9700 4.3.2: no address ever contains a token, session, password or secret")
    func tokensInHistory() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let page = try await fixture.logIn(browser, appWithRefresh)
        let tokens = await fixture.redeem(page.parameters["code"] ?? "", asApp)
        let secrets =
            ["access_token", "id_token", "refresh_token"].compactMap { tokens[$0]?.stringValue }
            + browser.cookies.map(\.value) + [AttackFixture.password, PercentEncoding.encode(AttackFixture.password)]
        #expect(secrets.count == 7)
        for url in browser.history { for secret in secrets { #expect(!url.contains(secret)) } }
        for answer in browser.answers {
            for secret in secrets { #expect(!answer.text.contains(secret)) }
        }
        for type in ["token", "id_token", "code token", "code id_token", "id_token token", "none"] {
            let refused = try await browser.open(AttackFixture.authorize(["response_type": type]))
            #expect(refused.parameters["error"] == "unsupported_response_type")
            #expect(refused.parameters.pairs.map(\.name) == ["error", "error_description", "state", "iss"])
        }
    }

    @Test("RFC 9700 4.3.2: a valid access token in a query is refused")
    func queryTokens() async throws {
        let fixture = try await AttackFixture()
        let token = await fixture.redeem(try await fixture.code())["access_token"]?.stringValue
        var request = Request.get("/userinfo")
        request.query = "access_token=\(token ?? "")"
        expectError(await fixture.server.send(request), 400, "invalid_request")
        request.fields.append("Authorization", "Bearer \(token ?? "")")
        expectError(await fixture.server.send(request), 400, "invalid_request")
        var form = Request.form("/oauth/token", ["grant_type": "refresh_token"])
        form.query = "client_id=app&refresh_token=x"
        expectError(await fixture.server.send(form), 400, "invalid_request")
    }

    // MARK: access tokens

    @Test("RFC 9700 4.6: a token of another client, kind or tenant is refused")
    func accessTokenInjection() async throws {
        let fixture = try await AttackFixture()
        let tokens = await fixture.redeem(try await fixture.code(appWithRefresh), asApp)
        for name in ["id_token", "refresh_token"] {
            expectError(await fixture.userInfo(tokens[name]?.stringValue), 401, "invalid_token")
        }
        expectError(
            await fixture.userInfo(tokens["access_token"]?.stringValue, host: "other.example"), 401, "invalid_token")
        let claims = try await fixture.claims(tokens["id_token"])
        #expect(claims["aud"] == "app")
        #expect(claims["nonce"] == "the-clients-nonce")
        // A client that checks nonce and audience detects an injected token.
        let other = await fixture.redeem(try await fixture.code(["nonce": "another"]))
        #expect(try await fixture.claims(other["id_token"])["nonce"] == "another")
        #expect(try await fixture.claims(other["id_token"])["aud"] == "web")
    }

    @Test("RFC 9700 4.9.2: a token is for one API; another API's server can neither read nor widen it")
    func audience() async throws {
        let fixture = try await AttackFixture { setup in
            setup.apis.append(try Samples.resourceServer("https://evil-api.example/"))
            setup.clients[3].limit(to: ["https://evil-api.example/": .none])
        }
        let tokens = await fixture.redeem(try await fixture.code(appWithRefresh), asApp)
        let claims = try await fixture.claims(tokens["access_token"])
        #expect(claims["aud"] == ["https://pay.example/", "https://dev.example/userinfo"])
        #expect(claims["scope"] == "openid offline_access")
        // Another API's server learns nothing of the token and cannot exchange or widen it.
        #expect(await fixture.isActive(tokens["access_token"]?.stringValue) == false)
        #expect(await fixture.isActive(tokens["refresh_token"]?.stringValue) == false)
        let plain = await fixture.redeem(
            try await fixture.code(appWithRefresh.merging(["scope": "pay:read"]) { $1 }), asApp)
        expectError(await fixture.userInfo(plain["access_token"]?.stringValue), 401, "invalid_token")
    }

    @Test("RFC 9700 4.10: a stolen access token ends with its authorization, its user and its lifetime")
    func stolenTokens() async throws {
        let fixture = try await AttackFixture()
        func token() async throws -> String {
            let answer = await fixture.redeem(try await fixture.code())
            return try (answer["access_token"]?.stringValue).orThrow(answer.text)
        }
        let revoked = try await token()
        #expect(await fixture.userInfo(revoked).status == 200)
        #expect(
            await fixture.post(
                "/oauth/revoke", ["client_id": "web", "client_secret": Samples.secret, "token": revoked]
            ).status == 200)
        expectError(await fixture.userInfo(revoked), 401, "invalid_token")
        #expect(await fixture.isActive(revoked) == false)

        let blocked = try await token()
        var ann = Samples.user()
        ann.email = EmailAddress(parsing: AttackFixture.ann)
        ann.blocked = true
        try await fixture.server.put(ann)
        expectError(await fixture.userInfo(blocked), 401, "invalid_token")
        ann.blocked = false
        try await fixture.server.put(ann)
        #expect(await fixture.userInfo(blocked).status == 200)
        fixture.server.advance(.seconds(86_400))
        expectError(await fixture.userInfo(blocked), 401, "invalid_token")
    }

    // MARK: frames and windows

    @Test("RFC 9700 4.16: no page can be framed")
    func clickjacking() async throws {
        let browser = try await tourist(try await AttackFixture())
        let pages = browser.answers.filter { $0.fields.mediaType == "text/html" }
        #expect(pages.count > 12)
        for page in pages {
            expectGuarded(page)
            #expect(page.fields["Cross-Origin-Opener-Policy"] == "same-origin")
        }
    }

    @Test("RFC 9700 4.16: the consent page names the client and decides nothing by itself")
    func consentIsExplicit() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let third = ["client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1"]
        var page = try await browser.open(AttackFixture.authorize(third))
        page = try await browser.send(
            page.form("/u/login"), ["username": AttackFixture.ann, "password": AttackFixture.password])
        #expect(page.text.contains("Client third-party"))
        #expect(page.text.contains("third.example"))
        let form = try page.form("/u/consent")
        #expect(form.fields["decision"] == nil)
        for decision in [nil, "", "Allow", "yes", "1", "allow "] {
            let consent = try await browser.open(AttackFixture.authorize(third))
            let denied = try await browser.send(consent.form("/u/consent"), ["decision": decision])
            #expect(denied.parameters["error"] == "access_denied")
            #expect(denied.parameters["code"] == nil)
        }
        let looked = try await browser.open(page.url.replacing("/u/consent?", with: "/u/consent?decision=allow&"))
        #expect(!looked.isAway)
    }

    @Test("RFC 9700 4.17: answers are posted only to origins that the client registered for web messages")
    func inBrowserCommunication() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        _ = try await fixture.logIn(browser)
        for changes in [[:], ["prompt": "none"]] {
            let page = try await browser.open(
                AttackFixture.authorize(changes.merging(["response_mode": "web_message"]) { $1 }))
            expectErrorPage(page)
            expectGuarded(page.answer)
            #expect(try Markup.read(page.answer.body).all("script").isEmpty)
        }
        for mode in ["web_message.jwt", "form_post.jwt", "query.jwt", "jwt", "relay"] {
            let page = try await browser.open(AttackFixture.authorize(["response_mode": mode, "prompt": "none"]))
            #expect(page.url.hasPrefix(AttackFixture.callback + "?error=invalid_request"))
            #expect(page.parameters["code"] == nil)
        }
        let page = try await browser.open(AttackFixture.authorize(["response_mode": "form_post"]))
        let form = try page.form
        #expect(form.action == AttackFixture.callback)
        #expect(form.fields["csrf"] == nil)
        #expect(Set(form.fields.keys) == ["code", "state", "iss"])
        let scripts = try Markup.read(page.answer.body).all("script").compactMap { $0["src"] }
        #expect(scripts.count == 1)
        for path in scripts {
            let script = await fixture.server.send(.get(path))
            #expect(script.status == 200)
            #expect(!script.text.contains("postMessage") && !script.text.contains("opener"))
        }
        let discovery = await fixture.server.send(.get("/.well-known/openid-configuration"))
        #expect(discovery["response_modes_supported"] == ["query", "fragment", "form_post", "web_message"])
        #expect(discovery["check_session_iframe"] == nil)
    }
}
