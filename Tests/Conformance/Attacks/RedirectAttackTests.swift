import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Attacks on redirects: RFC 9700 4.1, 4.11, 4.12, 4.13")
struct RedirectAttackTests {
    @Test(
        "RFC 9700 4.1: a redirect URI that differs from the registered one in any letter is sent nothing",
        arguments: [
            "https://web.example/callback/", "https://web.example/callback/../evil",
            "https://web.example/callback/evil",
            "https://web.example/Callback", "https://web.example/", "https://web.example",
            "https://web.example/callbac",
            "https://web.example/callback?x=1", "https://web.example/callback?", "https://web.example/callback;x",
            "https://WEB.example/callback", "https://web.example./callback", "https://web.example:443/callback",
            "https://web.example:8443/callback", "http://web.example/callback", "HTTPS://web.example/callback",
            "https://evil.web.example/callback", "https://web.example.evil.example/callback",
            "https://evilweb.example/callback", "https://evil.example/https://web.example/callback",
            "https://web.example@evil.example/callback", "https://user@web.example/callback",
            "https://evil.example\\@web.example/callback", "https://web.example\\.evil.example/callback",
            "https://web.example/callback%2f..%2fevil", "https://web.example/%63allback",
            "https://web.example/callback%00", "https://web.example/callback ", " https://web.example/callback",
            "https://web.example/callback\t", "https://web.example/callback\r\nX: y", "//web.example/callback",
            "/callback", "callback", "javascript:alert(1)//https://web.example/callback",
            "data:text/html,https://web.example/callback", "https://*/callback", "*", "https://web.example/callback*",
            "com.example.app:/callback", "https://web.example/callback\u{301}",
            "https:/\u{2F}\u{338}web.example/callback",
            "https://dev.example/u/login", "urn:ietf:wg:oauth:2.0:oob",
        ])
    func exactMatch(uri: String) async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        _ = try await fixture.logIn(browser)
        let page = try await browser.open(AttackFixture.authorize(["redirect_uri": uri]))
        expectErrorPage(page)
        #expect(browser.answers.last?.fields["Location"] == nil)
    }

    @Test("RFC 9700 4.1: characters that Unicode considers equivalent to ASCII differ")
    func canonicalEquivalence() async throws {
        let fixture = try await AttackFixture { setup in
            setup.clients[3].redirectURIs = ["https://web.example/K;x", "http://127.0.0.1/K;x"]
                .compactMap { RedirectURI(registering: $0) }
            setup.clients[3].allowedLogoutURLs = ["https://web.example/K"]
            setup.tenant.settings.allowedLogoutURLs = ["https://tenant.example/K"]
        }
        let browser = fixture.browser()
        for uri in [
            "https://web.example/\u{212A};x", "https://web.example/K\u{37E}x", "http://127.0.0.1:99/\u{212A};x",
            "http://127.0.0.1:99/K\u{37E}x",
        ] {
            expectErrorPage(try await browser.open(AttackFixture.authorize(["redirect_uri": uri])))
        }
        let good = try await browser.open(AttackFixture.authorize(["redirect_uri": "http://127.0.0.1:99/K;x"]))
        #expect(good.path == "/u/login")
        let kelvin = "%E2%84%AA"
        expectErrorPage(
            try await browser.open("/v2/logout?client_id=web&returnTo=https%3A%2F%2Fweb.example%2F\(kelvin)"))
        expectErrorPage(try await browser.open("/v2/logout?returnTo=https%3A%2F%2Ftenant.example%2F\(kelvin)"))
        expectErrorPage(
            try await browser.open(
                "/oidc/logout?client_id=web&post_logout_redirect_uri=https%3A%2F%2Fweb.example%2F\(kelvin)"))
    }

    @Test("RFC 9700 4.1.3: only the port of a loopback address may differ (RFC 8252 7.3)")
    func loopback() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        func page(_ uri: String) async throws -> InProcessBrowser.Page {
            try await browser.open(AttackFixture.authorize(["client_id": "cli", "redirect_uri": uri]))
        }
        for uri in ["http://127.0.0.1/callback", "http://127.0.0.1:1/callback", "http://127.0.0.1:65535/callback"] {
            #expect(try await page(uri).path == "/u/login", "\(uri)")
        }
        for uri in [
            "http://127.0.0.1:0/callback", "http://127.0.0.1:65536/callback", "http://127.0.0.1:/callback",
            "http://127.0.0.1:80@evil.example/callback", "http://127.0.0.1:80.evil.example/callback",
            "http://127.0.0.1.evil.example/callback", "http://127.0.0.2:80/callback", "http://localhost:80/callback",
            "http://[::1]:80/callback", "https://127.0.0.1:80/callback", "http://127.0.0.1:80/callback/x",
            "http://127.0.0.1:80/", "http://127.0.0.1:80\\callback", "http://127.0.0.1:80?/callback",
            "http://127.0.0.1:-1/callback", "http://127.0.0.1:+80/callback", "http://127.0.0.1:8\u{301}/callback",
            "http://127.0.0.1:\u{0663}/callback", "http://0x7f000001:80/callback", "http://2130706433:80/callback",
        ] { expectErrorPage(try await page(uri)) }
    }

    @Test("RFC 9700 4.1: private schemes are compared by case, slashes and path")
    func privateScheme() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        for uri in [
            "COM.example.app:/callback", "com.example.App:/callback", "com.example.app://callback",
            "com.example.app:callback", "com.example.app:/callback/", "com.example.app.evil:/callback",
            "com.example.app:/callback?x", "com.example.ap:/callback", "com.example.app:",
        ] {
            let page = try await browser.open(AttackFixture.authorize(["client_id": "app", "redirect_uri": uri]))
            expectErrorPage(page)
        }
    }

    @Test("RFC 9700 4.1: a fragment is dropped and never returned", arguments: ["query", "fragment"])
    func fragment(mode: String) async throws {
        let fixture = try await AttackFixture()
        let page = try await fixture.logIn(
            fixture.browser(), ["redirect_uri": AttackFixture.callback + "#evil=1", "response_mode": mode])
        #expect(page.url.hasPrefix(AttackFixture.callback + (mode == "query" ? "?" : "#") + "code="))
        #expect(!page.url.contains("evil"))
        #expect(page.url.split(separator: "#").count == (mode == "query" ? 1 : 2))
    }

    @Test("RFC 9700 4.1: a pushed request needs a registered redirect URI, and the URL beside it changes nothing")
    func pushed() async throws {
        let fixture = try await AttackFixture()
        let challenge = CodeChallenge(of: Samples.verifier, Samples.hashing).description
        func push(_ uri: String) async -> HTTPAnswer {
            await fixture.post(
                "/oauth/par",
                [
                    "client_id": "web", "client_secret": Samples.secret, "response_type": "code", "scope": "openid",
                    "redirect_uri": uri, "code_challenge": challenge, "code_challenge_method": "S256",
                ])
        }
        expectError(await push("https://evil.example/callback"), 400, "invalid_request")
        let uri = try (await push(AttackFixture.callback)["request_uri"]?.stringValue).orThrow("not pushed")
        let page = try await fixture.logIn(
            fixture.browser(),
            [
                "request_uri": uri, "redirect_uri": "https://evil.example/", "state": "evil",
                "response_mode": "fragment",
                "code_challenge_method": "plain", "scope": "openid pay:send",
            ])
        #expect(page.url.hasPrefix(AttackFixture.callback + "?code="))
        #expect(page.parameters["state"] == nil)
        #expect(await fixture.redeem(page.parameters["code"] ?? "").status == 200)
        // A refused request must not become another client's.
        expectErrorPage(try await fixture.browser().open(AttackFixture.authorize(["request_uri": uri])))
        let stolen = try (await push(AttackFixture.callback)["request_uri"]?.stringValue).orThrow("not pushed")
        expectErrorPage(
            try await fixture.browser().open(
                AttackFixture.authorize(["request_uri": stolen, "client_id": "third-party"])))
        expectErrorPage(
            try await fixture.browser().open(
                AttackFixture.authorize(["request_uri": "https://evil.example/request.jwt"])))
    }

    // MARK: open redirection

    @Test("RFC 9700 4.11.2: a wrong client or redirect URI is never redirected to, not even for errors or prompt=none")
    func authorizationServerAsOpenRedirector() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        for changes: [String: String?] in [
            ["prompt": "none"], ["response_type": "token"], ["scope": "\""], ["response_mode": "web_message"],
            ["code_challenge": nil], ["request": "x"], ["max_age": "x"],
        ] {
            let evil = changes.merging(["redirect_uri": "https://evil.example/"]) { $1 }
            expectErrorPage(try await browser.open(AttackFixture.authorize(evil)))
            let unknown = changes.merging(["client_id": "nobody"]) { $1 }
            expectErrorPage(try await browser.open(AttackFixture.authorize(unknown)))
            let foreign = changes.merging(["client_id": "stranger"]) { $1 }
            expectErrorPage(try await browser.open(AttackFixture.authorize(foreign)))
            let unfit = changes.merging(["client_id": "service"]) { $1 }
            expectErrorPage(try await browser.open(AttackFixture.authorize(unfit)))
        }
        #expect(browser.history.allSatisfy { $0.hasPrefix("https://dev.example/") })
    }

    @Test("RFC 9700 4.11: a logout returns only to registered addresses")
    func logOut() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        for uri in [
            "https://evil.example/", "https://web.example/bye/", "https://web.example/bye/?x=1",
            "https://web.example/by?e#x", "https://web.example/bye/../x", "https://web.example@evil.example/bye",
            "https://WEB.example/bye", "http://web.example/bye", "//web.example/bye", "/bye", "javascript:alert(1)",
            AttackFixture.callback,
        ] {
            let encoded = PercentEncoding.encode(uri)
            _ = try await fixture.logIn(browser)
            for path in [
                "/v2/logout?client_id=web&returnTo=\(encoded)", "/v2/logout?returnTo=\(encoded)",
                "/oidc/logout?client_id=web&post_logout_redirect_uri=\(encoded)",
                "/oidc/logout?post_logout_redirect_uri=\(encoded)",
            ] {
                expectErrorPage(try await browser.open(path))
            }
            // A refused logout ends no session.
            #expect(try await browser.open(AttackFixture.authorize(["prompt": "none"])).parameters["code"] != nil)
        }
        let bye = try await browser.open("/v2/logout?client_id=web&returnTo=https%3A%2F%2Fweb.example%2Fbye")
        #expect(bye.url == "https://web.example/bye")
        // Another client's address is not registered for this client.
        expectErrorPage(
            try await browser.open("/v2/logout?client_id=third-party&returnTo=https%3A%2F%2Fweb.example%2Fbye"))
    }

    @Test("RFC 9700 4.11: no parameter of the hosted pages redirects to another site")
    func pages() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let page = try await browser.open(AttackFixture.authorize())
        let state = try page.form("/u/login").fields["state"].orThrow("no state")
        for name in ["returnTo", "redirect_uri", "next", "url", "ui_locales", "connection"] {
            let there = try await browser.open("/u/login?state=\(state)&\(name)=https%3A%2F%2Fevil.example%2F")
            #expect(!there.isAway)
            #expect(
                (there.forms.map(\.action) + there.links).allSatisfy { url in
                    url.hasPrefix("#") || url.hasPrefix("/") && !url.hasPrefix("//")
                })
        }
    }

    // MARK: 307

    @Test("RFC 9700 4.12: forms are answered with 303, so that typed values go no further; links with 302")
    func seeOther() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        _ = try await fixture.logIn(
            browser, ["client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1"])
        _ = try await fixture.logIn(browser, ["prompt": "login"])
        _ = try await browser.open("/v2/logout?client_id=web&returnTo=https%3A%2F%2Fweb.example%2Fbye")
        let cross = InProcessBrowser.Form(
            action: "/authorize",
            fields: ["client_id": "web", "response_type": "code", "password": "typed elsewhere"])
        let stranger = fixture.browser()
        _ = try await stranger.send(cross, origin: "https://web.example")
        #expect(stranger.answers.first?.status == 303)
        #expect(browser.answers.contains { $0.status == 303 })
        #expect((browser.answers + stranger.answers).allSatisfy { ![301, 307, 308].contains($0.status) })
        #expect(browser.history.allSatisfy { !$0.contains("password") && !$0.contains("pass") })
    }

    // MARK: proxies

    @Test(
        "RFC 9700 4.13: a proxy's fields are ignored unless a listed proxy sends them",
        arguments: [
            "X-Forwarded-Host", "X-Forwarded-Server", "Forwarded", "X-Forwarded-Proto", "X-Forwarded-For",
            "X-Real-IP", "X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method-Override", "X-SSL-Client-Cert",
            "X-Forwarded-User", "Remote-User", "X-Host",
        ])
    func proxyFields(name: String) async throws {
        let fixture = try await AttackFixture { $0.tenant.settings.bruteForceProtection.attemptsPerAddress = 2 }
        let values = ["other.example", "host=other.example;for=203.0.113.1;proto=http", "203.0.113.1", "auth0|ann"]
        for (index, value) in values.enumerated() {
            let browser = fixture.browser(address: "198.51.100.\(index)", fields: [name: value])
            let configuration = try await browser.open("/.well-known/openid-configuration")
            #expect(configuration.answer["issuer"] == "https://dev.example/")
            var page = try await browser.open(AttackFixture.authorize())
            #expect(page.url.hasPrefix("https://dev.example/u/login?"))
            page = try await browser.send(page.form, ["username": AttackFixture.ann, "password": "wrong"])
            page = try await browser.send(page.form, ["username": AttackFixture.ann, "password": "wrong"])
            let again = InProcessBrowser(
                fixture.server, address: "198.51.100.\(index)", fields: [name: "\(value)9"])
            let other = try await again.open(AttackFixture.authorize())
            let blocked = try await again.send(other.form, ["username": AttackFixture.ann, "password": "wrong"])
            #expect(blocked.answer.status == 429, "another \(name) made another address of it")
        }
    }

    @Test("RFC 9700 4.13: behind a listed proxy, attempts are counted by the address that the proxy appends")
    func proxiedAttempts() async throws {
        let fixture = try await AttackFixture { setup in
            setup.tenant.settings.bruteForceProtection.attemptsPerAddress = 2
            setup.clientAddressProxies = [IPNetwork("10.1.0.0/16")].compactMap { $0 }
        }
        func attempt(_ fields: String, password: String = "wrong") async throws -> Int {
            let browser = fixture.browser(address: "10.1.2.3", fields: ["X-Forwarded-For": fields])
            let page = try await browser.open(AttackFixture.authorize())
            return try await browser.send(page.form, ["username": AttackFixture.ann, "password": password]).answer
                .status
        }
        // The client's own values come first; a second proxy's come last.
        for fields in ["198.51.100.7", "203.0.113.1, 198.51.100.7, 10.1.9.9"] {
            #expect(try await attempt(fields) != 429)
        }
        for fields in ["198.51.100.7", "203.0.113.2, 198.51.100.7", "198.51.100.8, 198.51.100.7, 10.1.9.9"] {
            #expect(try await attempt(fields, password: AttackFixture.password) == 429)
        }
        #expect(try await attempt("198.51.100.7, 198.51.100.8", password: AttackFixture.password) != 429)
        #expect(Set(try await fixture.server.auditAddresses("fp")) == ["198.51.100.7"])
    }
}
