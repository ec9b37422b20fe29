import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Attacks through the browser: RFC 9700 4.7, sessions and cookies")
struct BrowserAttackTests {
    private static let session = "__Host-countersign"
    private static let binding = "__Host-countersign-browser"

    private static func session(of browser: InProcessBrowser) -> String? {
        browser.cookies.first { $0.name == session }?.value
    }

    // MARK: CSRF

    @Test("RFC 9700 4.7: a login that another browser began is refused (login CSRF)")
    func loginCSRF() async throws {
        let fixture = try await AttackFixture()
        let attacker = fixture.browser(address: "203.0.113.66")
        let begun = try await attacker.open(AttackFixture.authorize())
        let form = try begun.form("/u/login")
        let victim = fixture.browser()
        for path in ["login", "signup", "account", "consent", "mfa-push", "mfa-code", "enroll", "connection"] {
            expectErrorPage(try await victim.open("/u/\(path)?state=\(form.fields["state"] ?? "")"))
        }
        // A binding cookie of the victim's own does not help.
        _ = try await victim.open(AttackFixture.authorize())
        expectErrorPage(try await victim.open(begun.url))
        let typed = ["username": "bob@example.org", "password": AttackFixture.password]
        expectErrorPage(try await victim.send(form, typed))
        // A form token of the victim's own does not help: the transaction is another browser's.
        let own = try await victim.open(AttackFixture.authorize()).form("/u/login")
        expectErrorPage(
            try await victim.send(form, typed.merging(["csrf": own.fields["csrf"] ?? ""]) { $1 }))
        #expect(Self.session(of: victim) == nil)
        // The attacker's own login continues.
        #expect(try await attacker.send(form, typed).isAway)
    }

    @Test(
        "RFC 9700 4.7: forms without this browser's token, or from another origin, change nothing",
        arguments: [
            "/u/login", "/u/signup", "/u/account", "/u/consent", "/u/forgot-password", "/u/reset-password",
            "/u/mfa-push", "/u/mfa-code", "/u/mfa-none", "/u/enroll", "/u/logout", "/u/email-verification",
            "/guardian/enroll",
        ])
    func forms(path: String) async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let page = try await browser.open(
            AttackFixture.authorize(["client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1"]))
        let shown = try page.form("/u/login")
        let stranger = try await fixture.browser().open(AttackFixture.authorize()).form("/u/login")
        let state = shown.fields["state"] ?? ""
        let token = shown.fields["csrf"] ?? ""
        let typed: [String: String] = [
            "state": state, "username": AttackFixture.ann, "email": "new@example.org",
            "password": AttackFixture.password,
            "password_again": AttackFixture.password, "decision": "allow", "account": "current", "code": "123456",
            "ticket": "x", "client_id": "web",
        ]
        let before = try await fixture.server.dump()
        let cookies = browser.cookies
        for csrf in [nil, "", "x", stranger.fields["csrf"], token + "A", String(token.dropLast()), token.lowercased()] {
            var fields = typed
            fields["csrf"] = csrf
            let form = InProcessBrowser.Form(action: path, fields: fields)
            expectErrorPage(try await browser.send(form))
        }
        var fields = typed
        fields["csrf"] = token
        let good = InProcessBrowser.Form(action: path, fields: fields)
        for origin in [
            "https://evil.example", "null", "http://dev.example", "https://dev.example:8443", "https://other.example",
            "https://dev.example.evil.example", "https://evildev.example", "https://web.example",
        ] { expectErrorPage(try await browser.send(good, origin: origin)) }
        // A browser with another binding cookie, or without one, is refused too.
        let cookieless = fixture.browser()
        expectErrorPage(try await cookieless.send(good))
        #expect(try await fixture.server.dump() == before)
        #expect(browser.cookies == cookies)
    }

    @Test("RFC 9700 4.7: the client's state comes back unchanged, in errors too, and only to the same browser")
    func state() async throws {
        let fixture = try await AttackFixture()
        for state in [
            "the-clients-state", "a&b=c#d?e+f g%20h\"<>'", "\u{20AC}\u{1F512}", String(repeating: "s", count: 2048),
        ] {
            let browser = fixture.browser()
            let refused = try await browser.open(AttackFixture.authorize(["prompt": "none", "state": state]))
            #expect(refused.parameters["state"] == state)
            let page = try await fixture.logIn(browser, ["state": state])
            #expect(page.parameters["state"] == state)
            #expect(page.parameters.pairs.map(\.name) == ["code", "state", "iss"])
        }
    }

    @Test("RFC 9700 4.7: a logout link on another site asks for confirmation unless it has the client's ID token")
    func logoutCSRF() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let page = try await fixture.logIn(browser)
        let tokens = await fixture.redeem(page.parameters["code"] ?? "")
        let bob = fixture.browser()
        let bobs = await fixture.redeem(
            try await fixture.logIn(bob, as: "bob@example.org").parameters["code"] ?? "")
        let confirmation = try await browser.open("/oidc/logout?client_id=web")
        #expect(try confirmation.form.action == "/u/logout")
        #expect(Self.session(of: browser) != nil)
        // Another user's hint does not suffice.
        let foreign = try await browser.open("/oidc/logout?id_token_hint=\(bobs["id_token"]?.stringValue ?? "")")
        #expect(try foreign.form.action == "/u/logout")
        for hint in [tokens["access_token"]?.stringValue ?? "", "x", "a.b.c"] {
            expectErrorPage(try await browser.open("/oidc/logout?id_token_hint=\(hint)"))
        }
        #expect(try await browser.open(AttackFixture.authorize(["prompt": "none"])).parameters["code"] != nil)
        let out = try await browser.open("/oidc/logout?id_token_hint=\(tokens["id_token"]?.stringValue ?? "")")
        #expect(out.answer.status == 200)
        #expect(Self.session(of: browser) == nil)
        #expect(try await bob.open(AttackFixture.authorize(["prompt": "none"])).parameters["code"] != nil)
    }

    @Test("OIDC RP-Initiated Logout 2: the confirmation page names the user, and staying changes nothing")
    func stayLoggedIn() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        _ = try await fixture.logIn(browser)
        let page = try await browser.open("/oidc/logout?client_id=web")
        #expect(page.text.contains(AttackFixture.ann))
        let stayed = try await browser.send(page.form("/u/logout"), ["decision": "deny"])
        #expect(stayed.answer.status == 200 && stayed.text.contains("still logged in"))
        #expect(try await browser.open(AttackFixture.authorize(["prompt": "none"])).parameters["code"] != nil)
        _ = try await browser.send(page.form("/u/logout"))
        #expect(Self.session(of: browser) == nil)
    }

    // MARK: sessions

    @Test("Session fixation: a login creates a new session, and a planted one gains nothing")
    func fixation() async throws {
        let fixture = try await AttackFixture()
        let attacker = fixture.browser(address: "203.0.113.66")
        _ = try await fixture.logIn(attacker, as: "bob@example.org")
        let planted = attacker.cookies
        let old = try Self.session(of: attacker).orThrow("not logged in")
        let victim = fixture.browser()
        victim.plant(planted)
        let page = try await victim.open(AttackFixture.authorize(["prompt": "login"]))
        let there = try await victim.send(
            page.form("/u/login"), ["username": AttackFixture.ann, "password": AttackFixture.password])
        #expect(there.isAway)
        let new = try Self.session(of: victim).orThrow("not logged in")
        #expect(new != old)
        // The planted session has ended: the attacker is neither Ann nor Bob.
        let claims = await fixture.redeem(there.parameters["code"] ?? "")
        #expect(try await fixture.claims(claims["id_token"])["sub"] == "auth0|ann")
        #expect(
            try await attacker.open(AttackFixture.authorize(["prompt": "none"])).parameters["error"] == "login_required"
        )
    }

    @Test("Session fixation: an invented session or binding cookie is never adopted")
    func madeUpCookies() async throws {
        let fixture = try await AttackFixture()
        let other = fixture.browser()
        _ = try await other.open(AttackFixture.authorize())
        let kept = try other.cookies.first.orThrow("no cookie")
        for value in ["x", "chosen-by-the-attacker", String(repeating: "A", count: 43), "\"", "a=b"] {
            let browser = fixture.browser()
            browser.plant([InProcessBrowser.Cookie(Self.session, value, like: kept)])
            #expect(
                try await browser.open(AttackFixture.authorize(["prompt": "none"])).parameters["error"]
                    == "login_required")
            _ = try await fixture.logIn(browser)
            #expect(Self.session(of: browser) != value)
        }
    }

    @Test("A session ends at logout, at its lifetimes and with a new password, and is invalid in another tenant")
    func ends() async throws {
        let fixture = try await AttackFixture()
        func isLoggedIn(_ browser: InProcessBrowser) async throws -> Bool {
            try await browser.open(AttackFixture.authorize(["prompt": "none"])).parameters["code"] != nil
        }
        let browser = fixture.browser()
        _ = try await fixture.logIn(browser)
        let stolen = browser.cookies
        #expect(try await isLoggedIn(browser))
        let elsewhere = fixture.browser(host: InProcessServer.otherHost)
        elsewhere.plant(stolen.map { $0.moved(to: InProcessServer.otherHost) })
        let there = try await elsewhere.open(AttackFixture.authorize(["client_id": "stranger", "prompt": "none"]))
        #expect(there.parameters["code"] == nil)
        _ = try await browser.open("/v2/logout")
        #expect(Self.session(of: browser) == nil)
        browser.plant(stolen)
        #expect(try await isLoggedIn(browser) == false)

        let idle = fixture.browser()
        _ = try await fixture.logIn(idle)
        let cookies = idle.cookies
        fixture.server.advance(.seconds(259_199))
        #expect(try await isLoggedIn(idle))
        fixture.server.advance(.seconds(259_200))
        idle.plant(cookies)
        #expect(try await isLoggedIn(idle) == false)
    }

    @Test("RFC 9700 4.7: every cookie is __Host-, Secure, HttpOnly and SameSite")
    func cookies() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        _ = try await fixture.logIn(browser)
        #expect(Set(browser.cookies.map(\.name)) == [Self.session, Self.binding])
        #expect(browser.readableCookies.isEmpty)
        #expect(browser.refusedCookies.isEmpty)
        for cookie in browser.cookies {
            #expect(cookie.attributes["samesite"] == "Lax")
            #expect(cookie.attributes["secure"] != nil)
            #expect(cookie.attributes["path"] == "/")
            #expect(cookie.attributes["domain"] == nil)
            #expect(try Base64URL.decode(cookie.value).orThrow("not random").count >= 32)
            // The stored value is not the cookie's value.
            #expect(try await fixture.server.dump().allSatisfy { !$0.contains(cookie.value) })
            #expect(try await !fixture.server.auditText().contains(cookie.value))
        }
        let session = try browser.cookies.first { $0.name == Self.session }.orThrow("no session")
        #expect(session.attributes["max-age"] == "604800")
        _ = try await browser.open("/v2/logout")
        #expect(Set(browser.cookies.map(\.name)) == [Self.binding])
    }

    @Test("Two cookies of one name, which only an attacker can cause, count as no cookie")
    func repeatedCookies() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        _ = try await fixture.logIn(browser)
        let value = try Self.session(of: browser).orThrow("no session")
        for header in [
            "\(Self.session)=x; \(Self.session)=\(value)", "\(Self.session)=\(value); \(Self.session)=x",
            "\(Self.session)=\(value)x", " ;;\(Self.session)", "\(Self.session.lowercased())x=\(value)",
        ] {
            let answer = await fixture.server.send(
                Request(
                    method: .get, path: "/authorize",
                    query: String(AttackFixture.authorize(["prompt": "none"]).dropFirst("/authorize?".count)),
                    fields: ["Host": InProcessServer.host, "Cookie": header]))
            #expect(answer.fields["Location"]?.contains("error=login_required") == true, "\(header)")
        }
    }

    @Test("A login that advanced in one tab cannot resume from an earlier page: each step runs once, in order")
    func order() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let third = ["client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1"]
        let page = try await browser.open(AttackFixture.authorize(third))
        let form = try page.form("/u/login")
        // A direct request for the consent page is refused.
        var consent = form
        consent.action = "/u/consent"
        let early = try await browser.send(consent, ["decision": "allow"])
        #expect(early.path == "/u/login")
        let typed = ["username": AttackFixture.ann, "password": AttackFixture.password]
        let consentPage = try await browser.send(form, typed)
        #expect(consentPage.path == "/u/consent")
        // The login form of that transaction, sent as another user, comes too late.
        let again = try await browser.send(
            form, ["username": "bob@example.org", "password": AttackFixture.password])
        #expect(again.path == "/u/consent")
        let there = try await browser.send(consentPage.form("/u/consent"), ["decision": "allow"])
        let tokens = await fixture.redeem(
            there.parameters["code"] ?? "",
            ["client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1"])
        #expect(try await fixture.claims(tokens["id_token"])["sub"] == "auth0|ann")
        // A finished transaction gives no second code.
        let repeated = try await browser.send(consentPage.form("/u/consent"), ["decision": "allow"])
        #expect(!repeated.isAway && repeated.answer.fields["Location"] == nil)
        expectErrorPage(try await browser.send(consentPage.form("/u/consent"), ["decision": "deny"]))
        expectErrorPage(try await browser.send(form, typed))
    }

    @Test("A second factor cannot be skipped: the password alone gives no session, code or consent")
    func secondFactor() async throws {
        let fixture = try await AttackFixture { $0.tenant.settings.multiFactor = .always }
        // Ann has a phone. Bob has none, and enrolling one does not skip the factor.
        _ = try await InProcessPhone(in: fixture.server)
        for (email, step) in [(AttackFixture.ann, "/u/mfa-push"), ("bob@example.org", "/u/enroll")] {
            let browser = fixture.browser()
            let third = ["client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1"]
            let page = try await browser.open(AttackFixture.authorize(third))
            var form = try page.form("/u/login")
            let typed = ["username": email, "password": AttackFixture.password]
            #expect(try await browser.send(form, typed).path == step)
            #expect(Self.session(of: browser) == nil)
            let state = form.fields["state"] ?? ""
            for path in [
                "/u/login", "/u/consent", "/u/account", "/u/signup", "/u/connection", "/u/enroll", "/u/mfa-code",
            ] {
                let there = try await browser.open("\(path)?state=\(state)")
                // Choosing another second factor does not skip it.
                #expect([step, "/u/mfa-code"].contains(there.path), "\(path) led to \(there.path)")
                form.action = path
                guard path != "/u/connection" else { continue }
                let sent = try await browser.send(
                    form, ["decision": "allow", "account": "current", "code": "000000", "email": "x@example.org"])
                #expect([step, "/u/mfa-code"].contains(sent.path), "\(path) led to \(sent.url)")
            }
            let silent = try await browser.open(AttackFixture.authorize(["prompt": "none"]))
            #expect(silent.parameters["error"] == "login_required")
            #expect(Self.session(of: browser) == nil)
        }
    }

    @Test("A consent page shown to one user grants nothing of another user who logged in meanwhile")
    func switchedUser() async throws {
        let fixture = try await AttackFixture()
        let third = ["client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1"]
        let browser = fixture.browser()
        // A session that began in another tab causes this page.
        let waiting = try await browser.open(AttackFixture.authorize(third))
        _ = try await fixture.logIn(browser)
        let shown = try await browser.open(waiting.url)
        #expect(shown.path == "/u/consent")
        #expect(shown.text.contains(AttackFixture.ann))
        // Another user logs in in a third tab; then the first page is submitted.
        let other = try await browser.open(AttackFixture.authorize(["prompt": "login"]))
        _ = try await browser.send(
            other.form("/u/login"), ["username": "bob@example.org", "password": AttackFixture.password])
        let sent = try await browser.send(shown.form("/u/consent"), ["decision": "allow"])
        #expect(!sent.isAway, "what Ann was shown was taken for Bob's consent")
    }
}

extension InProcessBrowser.Cookie {
    fileprivate init(_ name: String, _ value: String, like other: InProcessBrowser.Cookie) {
        self = other
        self.name = name
        self.value = value
    }

    fileprivate func moved(to host: String) -> InProcessBrowser.Cookie {
        var copy = self
        copy.host = host
        return copy
    }
}
