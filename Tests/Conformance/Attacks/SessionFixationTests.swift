import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("RFC 9700 4.7: knowing the address of an open login page gives no access to that login")
struct SessionFixationTests {
    private static let session = "__Host-countersign"
    private static let typed = ["username": AttackFixture.ann, "password": AttackFixture.password]

    /// A browser that has only the other browser's binding cookie.
    private func thief(of victim: InProcessBrowser, _ fixture: AttackFixture) -> InProcessBrowser {
        let thief = fixture.browser()
        thief.plant(victim.cookies.filter { $0.name == "__Host-countersign-browser" })
        return thief
    }

    /// Requests of an attacker who knows the binding cookie and the page's `state`.
    private func expectNothing(_ thief: InProcessBrowser, _ form: InProcessBrowser.Form) async throws {
        let state = form.fields["state"] ?? ""
        let paths = [
            "/u/login", "/u/signup", "/u/account", "/u/consent", "/u/mfa-push", "/u/mfa-code", "/u/mfa-none",
            "/u/enroll",
        ]
        for path in paths {
            let page = try await thief.open("\(path)?state=\(state)")
            #expect(!page.isAway, "\(path) led to \(page.url)")
            var form = form
            form.action = path
            let sent = try await thief.send(form, ["decision": "allow", "account": "current", "code": "000000"])
            #expect(!sent.isAway, "\(path) led to \(sent.url)")
        }
        #expect(thief.cookies.allSatisfy { $0.name == "__Host-countersign-browser" }, "\(thief.cookies.map(\.name))")
    }

    @Test("After the login, an attacker gets neither its code nor its session")
    func after() async throws {
        let fixture = try await AttackFixture()
        let victim = fixture.browser()
        let form = try await victim.open(AttackFixture.authorize()).form("/u/login")
        let thief = thief(of: victim, fixture)
        let code = try await victim.send(form, Self.typed).parameters["code"].orThrow("no code")
        try await expectNothing(thief, form)
        #expect(await fixture.redeem(code).status == 200, "the victim's code is the one that counts")
    }

    @Test("An attacker cannot continue between the password and the second factor, nor after the phone's approval")
    func waiting() async throws {
        let fixture = try await AttackFixture { $0.tenant.settings.multiFactor = .always }
        let phone = try await InProcessPhone(in: fixture.server)
        let victim = fixture.browser()
        let form = try await victim.open(AttackFixture.authorize()).form("/u/login")
        let thief = thief(of: victim, fixture)
        let waiting = try await victim.send(form, Self.typed)
        #expect(waiting.path == "/u/mfa-push")
        try await expectNothing(thief, form)
        #expect(try await phone.decideNewest().status == 204)
        try await expectNothing(thief, form)
        // The victim's login is unaffected.
        let done = try await victim.send(waiting.form("/u/mfa-push"))
        #expect(await fixture.redeem(try done.parameters["code"].orThrow("no code: \(done.url)")).status == 200)
        try await expectNothing(thief, form)
    }

    @Test("An attacker cannot continue between the password and the consent")
    func consent() async throws {
        let fixture = try await AttackFixture()
        let victim = fixture.browser()
        let third = ["client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1"]
        let form = try await victim.open(AttackFixture.authorize(third)).form("/u/login")
        let thief = thief(of: victim, fixture)
        let asking = try await victim.send(form, Self.typed)
        #expect(asking.path == "/u/consent")
        try await expectNothing(thief, form)
        let done = try await victim.send(asking.form("/u/consent"), ["decision": "allow"])
        try await expectNothing(thief, form)
        #expect(await fixture.redeem(try done.parameters["code"].orThrow("no code"), third).status == 200)
    }

    @Test("A session cookie is issued once: a browser that lost it gets a new one, and the first becomes invalid")
    func once() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let form = try await browser.open(AttackFixture.authorize()).form("/u/login")
        _ = try await browser.send(form, Self.typed)
        let first = browser.cookies.filter { $0.name == Self.session }
        browser.forgetCookies(named: Self.session)
        #expect(try await browser.send(form, Self.typed).parameters["code"] != nil)
        let second = browser.cookies.filter { $0.name == Self.session }
        #expect(first.count == 1 && second.count == 1 && first != second)
        let other = fixture.browser()
        other.plant(first)
        #expect(
            try await other.open(AttackFixture.authorize(["prompt": "none"])).parameters["error"] == "login_required")
        #expect(try await browser.open(AttackFixture.authorize(["prompt": "none"])).parameters["code"] != nil)
    }

    @Test("A browser that lost the waiting page's answer gets it with the page's button")
    func lostAnswer() async throws {
        let fixture = try await AttackFixture { $0.tenant.settings.multiFactor = .always }
        let phone = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        let waiting = try await fixture.logIn(browser)
        let before = browser.cookies
        #expect(try await phone.decideNewest().status == 204)
        #expect(try await browser.open(waiting.url).parameters["code"] != nil)
        // The browser loses the answer with its cookies.
        for cookie in browser.cookies { browser.forgetCookies(named: cookie.name) }
        browser.plant(before)
        let done = try await browser.send(waiting.form("/u/mfa-push"))
        #expect(await fixture.redeem(try done.parameters["code"].orThrow("no code: \(done.url)")).status == 200)
        #expect(try await browser.open(AttackFixture.authorize(["prompt": "none"])).parameters["code"] != nil)
    }

    @Test("Two tabs of one browser that wait for the phone both continue")
    func tabs() async throws {
        let fixture = try await AttackFixture { $0.tenant.settings.multiFactor = .always }
        _ = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        let tabs = [try await fixture.logIn(browser), try await fixture.logIn(browser)]
        for tab in tabs {
            #expect(tab.path == "/u/mfa-push")
            #expect(try await browser.open(tab.url).path == "/u/mfa-push")
        }
        #expect(browser.cookies.filter { $0.name.hasPrefix("__Host-countersign-login-") }.count == 2)
    }
}
