import Audit
import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Attacks on accounts: enumeration, guessing and brute force")
struct AccountAttackTests {
    /// A page without the parts that differ between logins.
    private static func plain(_ page: InProcessBrowser.Page, but texts: String...) throws -> String {
        let challenge = try page.passkeyForm()?.element["data-challenge"]
        let secrets =
            page.forms.flatMap(\.fields.values).filter { $0.count > 20 } + texts + [challenge].compactMap(\.self)
        return secrets.reduce(page.answer.text) { $0.replacing($1, with: "…") }
    }

    private func attempt(
        _ fixture: AttackFixture, _ email: String, _ password: String, from address: String = "203.0.113.1"
    ) async throws -> InProcessBrowser.Page {
        let browser = fixture.browser(address: address)
        let page = try await browser.open(AttackFixture.authorize())
        return try await browser.send(page.form("/u/login"), ["username": email, "password": password])
    }

    // MARK: enumeration

    @Test("An unknown user, a user without a password, a blocked user and a wrong password get the same answer")
    func logInTellsNothing() async throws {
        let fixture = try await AttackFixture { setup in
            setup.users.append(Samples.user("auth0|eve") { $0.email = "eve@example.org" })
            setup.users.append(
                Samples.user("auth0|max") { user in
                    user.email = "max@example.org"
                    user.blocked = true
                })
            setup.passwords[UserID("auth0|max")] = AttackFixture.password
            setup.users.append(Samples.user("auth0|hanna") { $0.username = "hanna" })
            setup.passwords[UserID("auth0|hanna")] = AttackFixture.password
        }
        let emails = [
            AttackFixture.ann, "nobody@example.org", "eve@example.org", "max@example.org", "hanna", "nobody-here",
        ]
        var answers: [String] = []
        for email in emails {
            let page = try await attempt(fixture, email, "wrong pass phrase")
            #expect(page.answer.status == 400)
            answers.append(try Self.plain(page, but: email))
        }
        #expect(Set(answers).count == 1)
        // A block looks the same, and takes effect after the same number of attempts.
        for count in 2...12 {
            var statuses: Set<String> = []
            for email in emails {
                let page = try await attempt(fixture, email, "wrong pass phrase")
                statuses.insert(
                    "\(page.answer.status) \(page.answer.fields["Retry-After"] ?? "") \(try Self.plain(page, but: email))"
                )
            }
            #expect(statuses.count == 1, "attempt \(count)")
        }
    }

    @Test("The forgotten-password page is the same for every address, and repeated requests send no further mail")
    func forgottenPassword() async throws {
        let fixture = try await AttackFixture()
        var answers: [String] = []
        for email in [AttackFixture.ann, "nobody@example.org", "ANN@example.org", "no.body@example.org"] {
            for _ in 0..<8 {
                let browser = fixture.browser()
                var page = try await browser.open(AttackFixture.authorize())
                let state = try page.form("/u/login").fields["state"].orThrow("no state")
                page = try await browser.open("/u/forgot-password?state=\(state)")
                let sent = try await browser.send(page.form, ["email": email])
                #expect(sent.answer.status == 200)
                answers.append(try Self.plain(sent, but: email, email.lowercased(), state))
            }
        }
        #expect(Set(answers).count == 1)
        let tickets = try await fixture.server.dump().filter { $0.hasPrefix("password_ticket:") }
        #expect((1...5).contains(tickets.count), "\(tickets.count)")
    }

    @Test("A sign-up under a taken address discloses no more than necessary and is rate limited")
    func signUp() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        var page = try await browser.open(AttackFixture.authorize(["screen_hint": "signup"]))
        #expect(page.path == "/u/signup")
        let before = try await fixture.server.dump().filter { $0.hasPrefix("user:") }
        var blocked = false
        for _ in 0..<15 {
            page = try await browser.send(
                page.form("/u/signup"), ["email": AttackFixture.ann, "password": "another long one", "name": "Ann"])
            #expect(!page.isAway)
            blocked = page.answer.status == 429
        }
        #expect(blocked)
        #expect(try await fixture.server.dump().filter { $0.hasPrefix("user:") } == before)
        #expect(try await attempt(fixture, AttackFixture.ann, "another long one").isAway == false)
        #expect(try await attempt(fixture, AttackFixture.ann, AttackFixture.password).isAway)
    }

    @Test("One address in several spellings is one account, including letters that fold into ASCII")
    func spellings() async throws {
        let fixture = try await AttackFixture { $0.users[0].email = "mike@example.org" }
        for email in ["mi\u{212A}e@example.org", "MIKE@EXAMPLE.ORG", " mike@example.org "] {
            let browser = fixture.browser(address: "203.0.113.9")
            let page = try await browser.open(AttackFixture.authorize(["screen_hint": "signup"]))
            let sent = try await browser.send(
                page.form("/u/signup"), ["email": email, "password": "another long one", "name": ""])
            #expect(!sent.isAway, "\(email)")
        }
        for email in [
            "mike@example.org\r\nBcc: x@y.example", "mike@example.org,x@y.example",
            "<mike@example.org>", "\"mike\"@example.org", "mike@example.org.", "m\u{131}ke@example.org",
            "mike@ex\u{200D}mple.org", "mike@[127.0.0.1]", "mike", String(repeating: "a", count: 300) + "@example.org",
        ] {
            let browser = fixture.browser(address: "203.0.113.9")
            let page = try await browser.open(AttackFixture.authorize(["screen_hint": "signup"]))
            let sent = try await browser.send(
                page.form("/u/signup"), ["email": email, "password": "another long one", "name": ""])
            #expect(sent.path == "/u/signup" && !sent.isAway, "\(email)")
        }
    }

    // MARK: brute force

    @Test("Brute force: an account is blocked for the guessing address until the window ends")
    func perAddress() async throws {
        let fixture = try await AttackFixture()
        for _ in 0..<10 {
            #expect(try await attempt(fixture, AttackFixture.ann, "guess").answer.status == 400)
        }
        for password in ["guess", AttackFixture.password] {
            let page = try await attempt(fixture, AttackFixture.ann, password)
            #expect(page.answer.status == 429)
            #expect(page.answer.fields["Retry-After"] == "3600")
            #expect(!page.isAway)
        }
        // The owner can log in elsewhere, and another account can log in at the guessing address.
        #expect(try await attempt(fixture, AttackFixture.ann, AttackFixture.password, from: "198.51.100.1").isAway)
        #expect(try await attempt(fixture, "bob@example.org", AttackFixture.password).isAway)
        // The owner's login does not reset the guesser's count.
        #expect(try await attempt(fixture, AttackFixture.ann, AttackFixture.password).answer.status == 429)
        fixture.server.advance(.seconds(3599))
        #expect(try await attempt(fixture, AttackFixture.ann, AttackFixture.password).answer.status == 429)
        fixture.server.advance(.seconds(2))
        #expect(try await attempt(fixture, AttackFixture.ann, AttackFixture.password).isAway)
    }

    @Test("Brute force: guesses from many addresses block the account everywhere and notify its owner by mail")
    func perAccount() async throws {
        let fixture = try await AttackFixture { $0.tenant.settings.bruteForceProtection.attemptsPerAccount = 20 }
        for number in 0..<20 {
            let page = try await attempt(fixture, AttackFixture.ann, "guess", from: "203.0.113.\(number)")
            #expect(page.answer.status == 400)
        }
        #expect(
            try await attempt(fixture, AttackFixture.ann, AttackFixture.password, from: "198.51.100.1").answer.status
                == 429
        )
        let kinds = try await fixture.server.auditKinds()
        #expect(kinds.filter { $0 == AuditEvent.Kind.accountBlocked.rawValue }.count == 1)
        fixture.server.advance(.seconds(3601))
        #expect(try await attempt(fixture, AttackFixture.ann, AttackFixture.password, from: "198.51.100.1").isAway)
    }

    @Test("Brute force: concurrent guesses count like consecutive ones")
    func atOnce() async throws {
        let fixture = try await AttackFixture()
        var forms: [(InProcessBrowser, InProcessBrowser.Form)] = []
        for _ in 0..<40 {
            let browser = fixture.browser(address: "203.0.113.1")
            forms.append((browser, try await browser.open(AttackFixture.authorize()).form("/u/login")))
        }
        let sent = forms
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for (index, (browser, form)) in sent.enumerated() {
                group.addTask {
                    try await browser.send(form, ["username": AttackFixture.ann, "password": "guess \(index)"])
                        .answer.status
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == 400 || $0 == 429 })
        #expect(try await attempt(fixture, AttackFixture.ann, AttackFixture.password).answer.status == 429)
    }

    @Test("A password has any bytes and is compared as typed; too long ones are refused quickly")
    func passwords() async throws {
        let fixture = try await AttackFixture()
        for password in [
            "", " ", AttackFixture.password + " ", AttackFixture.password.uppercased(),
            String(repeating: "x", count: 50_000), "a long pass phrase\u{301}", "' OR 1=1 --", "\u{1F512}",
        ] {
            let page = try await attempt(
                fixture, AttackFixture.ann, password, from: "203.0.113.\(password.count % 250)")
            #expect(page.answer.status == 400 && !page.isAway)
        }
        #expect(try await attempt(fixture, "nobody@example.org", AttackFixture.password).isAway == false)
    }

    // MARK: password links

    @Test("A password link works once, before its expiry and for its account, and ends the earlier sessions")
    func ticket() async throws {
        let fixture = try await AttackFixture()
        let attacker = fixture.browser(address: "203.0.113.66")
        _ = try await fixture.logIn(attacker)
        for ticket in ["", "x", "%27", String(repeating: "t", count: 4000)] {
            expectErrorPage(try await fixture.browser().open("/u/reset-password?ticket=\(ticket)"))
        }
        let page = try await attacker.open(AttackFixture.authorize(["prompt": "login"]))
        var form = try page.form("/u/login")
        form.action = "/u/reset-password"
        for user in ["auth0|ann", AttackFixture.ann] {
            expectErrorPage(
                try await attacker.send(
                    form,
                    [
                        "ticket": "x", "user": user, "email": user, "password": "a new pass phrase",
                        "password_again": "a new pass phrase",
                    ]))
        }
        #expect(try await attempt(fixture, AttackFixture.ann, AttackFixture.password).isAway)
    }
}
