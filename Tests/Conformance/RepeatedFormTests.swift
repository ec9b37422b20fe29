import AuthorizationCore
import HTTPModel
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("A form that a browser sends twice leads to the same place")
struct RepeatedFormTests {
    private static let typed = ["username": AttackWorld.ann, "password": AttackWorld.password]
    private static let third = ["client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1"]

    private func loginForm(_ browser: InProcessBrowser) async throws -> InProcessBrowser.Form {
        try await browser.open(AttackWorld.authorize()).form("/u/login")
    }

    private func consentForm(_ fixture: AttackWorld, _ browser: InProcessBrowser) async throws -> InProcessBrowser.Form
    {
        let page = try await browser.open(AttackWorld.authorize(Self.third))
        return try await browser.send(page.form("/u/login"), Self.typed).form("/u/consent")
    }

    private func code(_ page: InProcessBrowser.Page) throws -> String {
        try page.parameters["code"].orThrow("no code at \(page.url): \(page.text)")
    }

    @Test("RFC 6749 4.1.2: with another code where the first was not redeemed; the first is worth nothing then")
    func renewed() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        let form = try await loginForm(browser)
        let pages = [
            try await browser.send(form, Self.typed), try await browser.send(form, Self.typed),
            try await browser.send(form, Self.typed),
        ]
        let codes = try pages.map(code)
        #expect(Set(codes).count == 3)
        #expect(pages.allSatisfy { $0.parameters["state"] == "the-clients-state" })
        for code in codes.prefix(2) { expectError(await fixture.redeem(code), 400, "invalid_grant") }
        let tokens = await fixture.redeem(codes[2])
        #expect(tokens.status == 200)
        #expect(await fixture.userInfo(tokens["access_token"]?.stringValue).status == 200)
    }

    @Test("Where the code was redeemed, a page says that the application has its answer, and the tokens stay")
    func redeemed() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        let form = try await consentForm(fixture, browser)
        let there = try await browser.send(form, ["decision": "allow"])
        let tokens = await fixture.redeem(try code(there), Self.third)
        #expect(tokens.status == 200)
        let again = try await browser.send(form, ["decision": "allow"])
        #expect(again.answer.status == 200 && !again.isAway)
        #expect(again.text.contains("already has the answer"))
        expectGuarded(again.answer)
        #expect(await fixture.userInfo(tokens["access_token"]?.stringValue).status == 200)
    }

    @Test("Sent at once it is handled once, and each gets the answer with its session")
    func atOnce() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        var fields = try await loginForm(browser).fields
        for (name, value) in Self.typed { fields[name] = value }
        let body = Array(FormFields(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }).encoded.utf8)
        let request = Request(
            method: .post, path: "/u/login",
            fields: [
                "Host": InProcessServer.host, "Content-Type": "application/x-www-form-urlencoded",
                "Origin": "https://\(InProcessServer.host)",
            ], body: body)
        let answers = await withTaskGroup(of: HTTPAnswer.self) { group in
            for _ in 0..<8 { group.addTask { await browser.request(request) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 303 })
        let codes = Set(
            try answers.map { answer in
                let location = try answer.fields["Location"].orThrow("\(answer.status)")
                let query = location.split(separator: "?", maxSplits: 1).last ?? ""
                return try FormFields(parsing: Array(query.utf8))["code"].orThrow(location)
            })
        // Those that came after the first was answered got another code, and one of all is good.
        var good = 0
        for code in codes { good += await fixture.redeem(code).status == 200 ? 1 : 0 }
        #expect(good == 1)
        #expect(try await fixture.server.auditKinds().filter { $0 == "s" }.count == 1)
        #expect(browser.cookies.contains { $0.name == "__Host-countersign" })
    }

    @Test("A browser that did not get the first answer's session gets it with the second")
    func lostSession() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        let form = try await loginForm(browser)
        _ = try await browser.send(form, Self.typed)
        browser.forgetCookies(named: "__Host-countersign")
        #expect(try await browser.send(form, Self.typed).parameters["code"] != nil)
        #expect(try await browser.open(AttackWorld.authorize(["prompt": "none"])).parameters["code"] != nil)
    }

    @Test("A refusal is told again; the other button afterwards changes nothing and gets no code")
    func denied() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        let form = try await consentForm(fixture, browser)
        for _ in 0..<2 {
            #expect(
                try await browser.send(form, ["decision": "deny"]).parameters["error"] == "access_denied")
        }
        expectErrorPage(try await browser.send(form, ["decision": "allow"]))
        let other = try await browser.open(AttackWorld.authorize(Self.third)).form("/u/consent")
        _ = try code(try await browser.send(other, ["decision": "allow"]))
        expectErrorPage(try await browser.send(other, ["decision": "deny"]))
    }

    @Test("Only within a minute, in the same browser, with the session that is still there")
    func limits() async throws {
        let fixture = try await AttackWorld()
        let late = fixture.browser()
        let form = try await loginForm(late)
        _ = try code(try await late.send(form, Self.typed))
        let thief = fixture.browser()
        _ = try await thief.open(AttackWorld.authorize())
        expectErrorPage(try await thief.send(form, Self.typed))
        fixture.server.advance(.seconds(60))
        expectErrorPage(try await late.send(form, Self.typed))
        let gone = fixture.browser()
        let second = try await loginForm(gone)
        _ = try code(try await gone.send(second, Self.typed))
        _ = try await gone.open("/v2/logout?client_id=web&returnTo=https%3A%2F%2Fweb.example%2Fbye")
        #expect(try await gone.send(second, Self.typed).isAway == false)
    }

    @Test("A form that was not accepted is looked at again each time")
    func wrongPassword() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        let form = try await loginForm(browser)
        for _ in 0..<2 {
            #expect(
                try await browser.send(form, ["username": AttackWorld.ann, "password": "wrong"]).answer.status == 400)
        }
        #expect(try await fixture.server.auditKinds().filter { $0 == "fp" }.count == 2)
        _ = try code(try await browser.send(form, Self.typed))
    }

    @Test(
        "What a link does once is done once, and said again: a new password, a confirmed address",
        arguments: [true, false], ["https://web.example/done", nil])
    func tickets(setsPassword: Bool, resultURL: String?) async throws {
        let fixture = try await AttackWorld()
        let ticket = Identifiers.ticket(SystemRandom())
        try await fixture.server.addTicket(ticket, setsPassword: setsPassword, resultURL: resultURL)
        let path = setsPassword ? "/u/reset-password" : "/u/email-verification"
        let new = "seven swans a swimming"
        let typed = setsPassword ? ["password": new, "password_again": new] : [:]
        let browser = fixture.browser()
        let link = "\(path)?ticket=\(ticket)"
        let form = try await browser.open(link).form(path)
        for _ in 0..<3 {
            let page = try await browser.send(form, typed)
            #expect(page.isAway == (resultURL != nil), "\(page.url)")
            if resultURL == nil { #expect(page.answer.status == 200 && page.text.contains("You can close this page")) }
        }
        let kind = setsPassword ? "scp" : "sv"
        #expect(try await fixture.server.auditKinds().filter { $0 == kind }.count == 1)
        // Somebody else's form, another form of the same browser, the link itself, and what comes late, find it used.
        expectErrorPage(try await fixture.browser().open(link))
        if setsPassword {
            expectErrorPage(try await browser.send(form, ["password": "another", "password_again": "another"]))
        }
        fixture.server.advance(.seconds(60))
        expectErrorPage(try await browser.send(form, typed))
    }

    @Test("A new password that is sent again ends no session that began with it")
    func sessionAfterReset() async throws {
        let fixture = try await AttackWorld()
        try await fixture.server.addTicket("ticket", setsPassword: true)
        let browser = fixture.browser()
        let form = try await browser.open("/u/reset-password?ticket=ticket").form("/u/reset-password")
        let new = "seven swans a swimming"
        let typed = ["password": new, "password_again": new]
        _ = try await browser.send(form, typed)
        #expect(try await fixture.logIn(browser, password: new).parameters["code"] != nil)
        _ = try await browser.send(form, typed)
        #expect(try await browser.open(AttackWorld.authorize(["prompt": "none"])).parameters["code"] != nil)
    }

    @Test("The back button after a login: the answer where it was lost, and otherwise a page that says it is done")
    func back() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        let form = try await loginForm(browser)
        let page = "/u/login?state=\(form.fields["state"] ?? "")"
        let first = try code(try await browser.send(form, Self.typed))
        let second = try code(try await browser.open(page))
        #expect(first != second)
        expectError(await fixture.redeem(first), 400, "invalid_grant")
        let tokens = await fixture.redeem(second)
        #expect(tokens.status == 200)
        for path in [page, page.replacing("/u/login", with: "/u/consent")] {
            let done = try await browser.open(path)
            #expect(done.answer.status == 200 && done.text.contains("already has the answer"))
            expectGuarded(done.answer)
        }
        #expect(await fixture.userInfo(tokens["access_token"]?.stringValue).status == 200)
        // In this browser alone, for a minute; and a form of the page may have been meant otherwise.
        expectErrorPage(try await fixture.browser().open(page))
        let bob = ["username": "bob@example.org", "password": AttackWorld.password]
        expectErrorPage(try await browser.send(form, bob))
        fixture.server.advance(.seconds(60))
        expectErrorPage(try await browser.open(page))
    }

    @Test("The back button after a refusal leads to the application with the same refusal")
    func backAfterRefusal() async throws {
        let fixture = try await AttackWorld()
        let browser = fixture.browser()
        let form = try await consentForm(fixture, browser)
        _ = try await browser.send(form, ["decision": "deny"])
        let page = try await browser.open("/u/consent?state=\(form.fields["state"] ?? "")")
        #expect(page.parameters["error"] == "access_denied")
    }
}
