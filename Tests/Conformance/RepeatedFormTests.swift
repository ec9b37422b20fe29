import AuthorizationCore
import HTTPModel
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

@Suite("Repeated submissions of a form lead to the same result")
struct RepeatedFormTests {
    private static let typed = ["username": AttackFixture.ann, "password": AttackFixture.password]
    private static let third = ["client_id": "third-party", "redirect_uri": "https://third.example/cb?a=1"]

    private func loginForm(_ browser: InProcessBrowser) async throws -> InProcessBrowser.Form {
        try await browser.open(AttackFixture.authorize()).form("/u/login")
    }

    private func consentForm(_ fixture: AttackFixture, _ browser: InProcessBrowser) async throws
        -> InProcessBrowser.Form
    {
        let page = try await browser.open(AttackFixture.authorize(Self.third))
        return try await browser.send(page.form("/u/login"), Self.typed).form("/u/consent")
    }

    private func code(_ page: InProcessBrowser.Page) throws -> String {
        try page.parameters["code"].orThrow("no code at \(page.url): \(page.text)")
    }

    @Test("RFC 6749 4.1.2: a repeated submission gives a new code and invalidates the unredeemed first one")
    func renewed() async throws {
        let fixture = try await AttackFixture()
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

    @Test("If the code was redeemed, a page says that the login is complete, and the tokens stay valid")
    func redeemed() async throws {
        let fixture = try await AttackFixture()
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

    @Test("Concurrent submissions are handled once, and each gets the answer with its session")
    func atOnce() async throws {
        let fixture = try await AttackFixture()
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
        // Submissions after the first answer got new codes, and exactly one code is valid.
        var good = 0
        for code in codes { good += await fixture.redeem(code).status == 200 ? 1 : 0 }
        #expect(good == 1)
        #expect(try await fixture.server.auditKinds().filter { $0 == "s" }.count == 1)
        #expect(browser.cookies.contains { $0.name == "__Host-countersign" })
    }

    @Test("A browser that lost the first answer's session gets it with the second answer")
    func lostSession() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let form = try await loginForm(browser)
        _ = try await browser.send(form, Self.typed)
        browser.forgetCookies(named: "__Host-countersign")
        #expect(try await browser.send(form, Self.typed).parameters["code"] != nil)
        #expect(try await browser.open(AttackFixture.authorize(["prompt": "none"])).parameters["code"] != nil)
    }

    @Test("A repeated refusal has the same answer, and a later approval changes nothing")
    func denied() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let form = try await consentForm(fixture, browser)
        for _ in 0..<2 {
            #expect(
                try await browser.send(form, ["decision": "deny"]).parameters["error"] == "access_denied")
        }
        expectErrorPage(try await browser.send(form, ["decision": "allow"]))
        let other = try await browser.open(AttackFixture.authorize(Self.third)).form("/u/consent")
        _ = try code(try await browser.send(other, ["decision": "allow"]))
        expectErrorPage(try await browser.send(other, ["decision": "deny"]))
    }

    @Test("A repetition counts only within a minute, in the same browser and with its session")
    func limits() async throws {
        let fixture = try await AttackFixture()
        let late = fixture.browser()
        let form = try await loginForm(late)
        _ = try code(try await late.send(form, Self.typed))
        let thief = fixture.browser()
        _ = try await thief.open(AttackFixture.authorize())
        expectErrorPage(try await thief.send(form, Self.typed))
        fixture.server.advance(.seconds(60))
        expectErrorPage(try await late.send(form, Self.typed))
        let gone = fixture.browser()
        let second = try await loginForm(gone)
        _ = try code(try await gone.send(second, Self.typed))
        _ = try await gone.open("/v2/logout?client_id=web&returnTo=https%3A%2F%2Fweb.example%2Fbye")
        #expect(try await gone.send(second, Self.typed).isAway == false)
    }

    @Test("A form that was refused is checked anew each time")
    func wrongPassword() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let form = try await loginForm(browser)
        for _ in 0..<2 {
            #expect(
                try await browser.send(form, ["username": AttackFixture.ann, "password": "wrong"]).answer.status == 400)
        }
        #expect(try await fixture.server.auditKinds().filter { $0 == "fp" }.count == 2)
        _ = try code(try await browser.send(form, Self.typed))
    }

    @Test(
        "Links that set a password or confirm an address work once and repeat their answer",
        arguments: [true, false], ["https://web.example/done", nil])
    func tickets(setsPassword: Bool, resultURL: String?) async throws {
        let fixture = try await AttackFixture()
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
        // For another browser's form, another form of this browser, the link and a late form, the ticket is used.
        expectErrorPage(try await fixture.browser().open(link))
        if setsPassword {
            expectErrorPage(try await browser.send(form, ["password": "another", "password_again": "another"]))
        }
        fixture.server.advance(.seconds(60))
        expectErrorPage(try await browser.send(form, typed))
    }

    @Test("A repeated new-password form does not end sessions that began with the new password")
    func sessionAfterReset() async throws {
        let fixture = try await AttackFixture()
        try await fixture.server.addTicket("ticket", setsPassword: true)
        let browser = fixture.browser()
        let form = try await browser.open("/u/reset-password?ticket=ticket").form("/u/reset-password")
        let new = "seven swans a swimming"
        let typed = ["password": new, "password_again": new]
        _ = try await browser.send(form, typed)
        #expect(try await fixture.logIn(browser, password: new).parameters["code"] != nil)
        _ = try await browser.send(form, typed)
        #expect(try await browser.open(AttackFixture.authorize(["prompt": "none"])).parameters["code"] != nil)
    }

    @Test("The back button after a login repeats a lost answer, or says that the login is complete")
    func back() async throws {
        let fixture = try await AttackFixture()
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
        // Only this browser, within a minute, with the same form.
        expectErrorPage(try await fixture.browser().open(page))
        let bob = ["username": "bob@example.org", "password": AttackFixture.password]
        expectErrorPage(try await browser.send(form, bob))
        fixture.server.advance(.seconds(60))
        expectErrorPage(try await browser.open(page))
    }

    @Test("The back button after a refusal returns the same refusal to the application")
    func backAfterRefusal() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let form = try await consentForm(fixture, browser)
        _ = try await browser.send(form, ["decision": "deny"])
        let page = try await browser.open("/u/consent?state=\(form.fields["state"] ?? "")")
        #expect(page.parameters["error"] == "access_denied")
    }
}
