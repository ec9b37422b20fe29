import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import SQL
import TestSupport
import Testing

@Suite("The pages of a person's own account")
struct AccountPagesTests {
    // MARK: access

    @Test("Without a session, every page and every form asks for a login", arguments: AccountPath.allCases)
    func unauthenticated(path: AccountPath) async throws {
        let fixture = try await AccountFixture()
        #expect(try await fixture.browser().open(path.rawValue).path == "/u/login")
        let answer = await fixture.server.send(.form(path.rawValue, ["item": "x"]))
        #expect([400, 405].contains(answer.status))
    }

    @Test(
        "Every page but that of passkeys has no script; each allows no frame and is kept by no cache",
        arguments: AccountPath.allCases)
    func policy(path: AccountPath) async throws {
        let fixture = try await AccountFixture { $0.tenant.settings.allowsAccountDeletion = true }
        let browser = fixture.browser()
        let page = try await fixture.open(path, in: browser)
        #expect(page.answer.status == 200)
        let policy = page.answer.fields["Content-Security-Policy"] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(policy.contains("script-src") == (path == .passkeys))
        #expect(page.answer.fields["X-Frame-Options"] == "DENY")
        #expect(page.answer.fields["Cache-Control"] == "no-store")
    }

    @Test("The tenant's rule for second factors holds for reading")
    func multiFactor() async throws {
        let fixture = try await AccountFixture { $0.tenant.settings.multiFactor = .whenEnrolled }
        _ = try await InProcessPhone(in: fixture.server)
        #expect(try await fixture.open(.phones, in: fixture.browser()).path == "/u/mfa-push")
    }

    @Test("A person without a second factor changes factors after a recent login alone")
    func recentLogin() async throws {
        let fixture = try await AccountFixture()
        let browser = fixture.browser()
        let page = try await fixture.open(.password, in: browser)
        let form = try page.form(AccountPath.password.rawValue)
        let new = "another long pass phrase"
        let typed = ["old_password": AttackFixture.password, "password": new, "password_again": new]
        fixture.grow()
        #expect(try await browser.open(AccountPath.password.rawValue).path == AccountPath.password.rawValue)
        let refused = try await browser.send(form, typed)
        #expect(refused.path == "/u/login")
        let back = try await fixture.logIn(refused, in: browser)
        #expect(back.path == AccountPath.password.rawValue, "the old password still holds")
        #expect(try await browser.send(back.form(back.path), typed).path == AccountPath.start.rawValue)
    }

    @Test("A person with a phone is asked for it before a change of factors, whatever the tenant's logins ask for")
    func recentFactor() async throws {
        let fixture = try await AccountFixture()
        let phone = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        let page = try await fixture.open(.phone, in: browser)
        #expect(page.path == AccountPath.phones.rawValue)
        let detail = try await browser.open("\(AccountPath.phone.rawValue)?id=\(phone.id)")
        let form = try detail.forms.last.orThrow("no form")
        let waiting = try await browser.send(form, ["remove": "1"])
        #expect(waiting.path == "/u/mfa-push")
        #expect(try await fixture.count("device") == 1)
        let renamed = try await browser.send(form, ["name": "Kitchen"])
        #expect(renamed.path == AccountPath.phones.rawValue && renamed.text.contains("Kitchen"))
        let event = try #require(try await fixture.server.database.auditLog("gd_update_device_account").last)
        #expect(event.actor == "person:auth0|ann")
    }

    @Test("A form that another site sends, or that names another person, changes nothing")
    func foreignForms() async throws {
        let fixture = try await AccountFixture()
        let browser = fixture.browser()
        let page = try await fixture.open(.preferences, in: browser)
        let form = page.forms[0]
        expectErrorPage(try await browser.send(form, ["csrf": "x", "language": "fr"]))
        expectErrorPage(try await browser.send(form, ["language": "fr"], origin: "https://evil.example"))
        // Bob logs in in the same browser, and Ann's page is still open in another tab.
        _ = try await fixture.logins.logIn(browser, as: "bob@example.org", ["prompt": "login"])
        #expect(try await browser.send(form, ["language": "fr"]).answer.status == 200)
        let languages = try await fixture.server.database.query(#"SELECT language FROM "user""#) {
            try $0.optionalText(0)
        }
        #expect(languages.allSatisfy { $0 == nil })
    }

    @Test("A session of another tenant opens no page, and a thing of another person is not changed")
    func others() async throws {
        let fixture = try await AccountFixture()
        let phone = try await InProcessPhone(UserID("auth0|bob"), in: fixture.server)
        let browser = fixture.browser()
        let page = try await fixture.open(.preferences, in: browser)
        let there = InProcessBrowser(fixture.server, host: InProcessServer.otherHost)
        there.plant(
            browser.cookies.map { cookie in
                var cookie = cookie
                cookie.host = InProcessServer.otherHost
                return cookie
            })
        #expect(try await there.open(AccountPath.start.rawValue).path == "/u/login")
        let person = try page.forms[0].fields["person"].orThrow("no person")
        var form = page.forms[0]
        form.action = AccountPath.phone.rawValue
        _ = try await browser.send(form, ["person": person, "item": phone.id.rawValue, "name": "Stolen"])
        let names = try await fixture.server.database.query("SELECT name FROM device") { try $0.text(0) }
        #expect(!names.contains("Stolen"))
    }

    // MARK: sessions and applications

    @Test("People see their browsers, and end one or all others; this one stays")
    func sessions() async throws {
        let fixture = try await AccountFixture()
        let agent = "Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/130.0"
        let (here, there, third) = (fixture.browser(), fixture.browser(["User-Agent": agent]), fixture.browser())
        for browser in [there, third] { _ = try await fixture.open(.start, in: browser) }
        let page = try await fixture.open(.sessions, in: here)
        #expect(page.text.contains("Firefox on Windows") && page.text.contains("This browser"))
        let item = try #require(page.forms.first { $0.fields["item"] != nil })
        let rest = try await here.send(item)
        #expect(rest.path == AccountPath.sessions.rawValue)
        #expect(try await fixture.count("session") == 2)
        _ = try await here.send(rest.forms.last.orThrow("no form"))
        #expect(try await fixture.count("session") == 1)
        #expect(try await here.open(AccountPath.start.rawValue).path == AccountPath.start.rawValue)
        for browser in [there, third] {
            #expect(try await browser.open(AccountPath.start.rawValue).path == "/u/login")
        }
    }

    @Test("Withdrawing an application ends its consent and its tokens")
    func applications() async throws {
        let fixture = try await AccountFixture()
        let browser = fixture.browser()
        let callback = "https://third.example/cb?a=1"
        _ = try await fixture.logins.logIn(browser, ["client_id": "third-party", "redirect_uri": callback])
        #expect(try await fixture.count("consent_grant") == 1)
        let page = try await fixture.open(.applications, in: browser)
        let left = try await browser.send(page.form(AccountPath.applications.rawValue))
        #expect(left.text.contains("No application has access"))
        #expect(try await fixture.count("consent_grant") == 0)
        #expect(try await fixture.count("authorization_code") == 0)
        #expect(try await fixture.server.database.auditLog("consent_withdrawn").count == 1)
    }

    // MARK: password, preferences, data

    @Test("A new password needs the old one, and logs out all other browsers")
    func password() async throws {
        let fixture = try await AccountFixture()
        let (here, there) = (fixture.browser(), fixture.browser())
        _ = try await fixture.open(.start, in: there)
        let page = try await fixture.open(.password, in: here)
        let form = try page.form(AccountPath.password.rawValue)
        let new = "another long pass phrase"
        let wrong = try await here.send(
            form, ["old_password": "wrong", "password": new, "password_again": new])
        #expect(wrong.answer.status == 400 && wrong.text.contains("not your present password"))
        let weak = try await here.send(
            form, ["old_password": AttackFixture.password, "password": "short", "password_again": "short"])
        #expect(weak.answer.status == 400)
        let changed = try await here.send(
            form, ["old_password": AttackFixture.password, "password": new, "password_again": new])
        #expect(changed.path == AccountPath.start.rawValue)
        #expect(try await there.open(AccountPath.start.rawValue).path == "/u/login")
        #expect(try await here.open(AccountPath.phones.rawValue).path == AccountPath.phones.rawValue)
        #expect(try await fixture.logins.logIn(fixture.browser(), password: new).isAway)
        #expect(try await fixture.server.database.auditLog("fp").count == 1)
    }

    @Test("Language and quiet hours are kept, and two equal times are refused")
    func preferences() async throws {
        let fixture = try await AccountFixture()
        let browser = fixture.browser()
        let page = try await fixture.open(.preferences, in: browser)
        let (language, hours) = (page.forms[0], page.forms[1])
        _ = try await browser.send(language, ["language": "fr"])
        let languages = try await fixture.server.database.query(
            #"SELECT language FROM "user" WHERE id = 'auth0|ann'"#
        ) { try $0.optionalText(0) }
        #expect(languages == ["fr"])
        #expect(try await browser.send(hours, ["from": "07:00", "to": "07:00"]).answer.status == 400)
        let kept = try await browser.send(hours, ["from": "21:30", "to": "06:00"])
        #expect(kept.forms[1].fields["from"] == "21:30")
        #expect(try await fixture.count("phone_preference") == 1)
        _ = try await browser.send(kept.forms[1], ["off": "1"])
        #expect(try await fixture.count("phone_preference") == 0)
    }

    @Test("The export has the person's data as a file, and no secret")
    func export() async throws {
        let fixture = try await AccountFixture()
        let browser = fixture.browser()
        let page = try await fixture.open(.export, in: browser)
        let file = try await browser.send(page.form(AccountPath.export.rawValue))
        #expect(file.answer.fields["Content-Disposition"] == #"attachment; filename="account.json""#)
        let document = file.answer.json
        #expect(document["profile"]?["email"]?.stringValue == AttackFixture.ann)
        #expect(document["sessions"]?.arrayValue?.count == 1)
        #expect(document["log"]?.arrayValue?.isEmpty == false)
        #expect(document["truncated"]?.arrayValue?.isEmpty == true)
        #expect(!file.text.contains("hash") && !file.text.contains("push_token"))
    }

    @Test("An account is deleted where the tenant allows it, with the password, and not while decisions are kept")
    func deletion() async throws {
        let strict = try await AccountFixture()
        let away = try await strict.open(.deletion, in: strict.browser())
        #expect(away.path == AccountPath.start.rawValue && !away.links.contains(AccountPath.deletion.rawValue))
        let fixture = try await AccountFixture { $0.tenant.settings.allowsAccountDeletion = true }
        let browser = fixture.browser()
        let page = try await fixture.open(.deletion, in: browser)
        let form = try page.form(AccountPath.deletion.rawValue)
        #expect(try await browser.send(form, ["password": "wrong"]).answer.status == 400)
        let done = try await browser.send(form, ["password": AttackFixture.password])
        #expect(done.text.contains("Your account is deleted"))
        #expect(browser.cookies.allSatisfy { $0.name != "__Host-countersign" })
        let users = try await fixture.server.database.query(#"SELECT id FROM "user""#) { try $0.text(0) }
        #expect(!users.contains("auth0|ann"))
        #expect(try await fixture.server.database.auditLog("sdu").map(\.actor) == ["person:auth0|ann"])

        let kept = try await AccountFixture { $0.tenant.settings.allowsAccountDeletion = true }
        let phone = try await InProcessPhone(in: kept.server)
        _ = try await InProcessClient(via: kept.server).started()
        _ = try await phone.decideNewest()
        let refused = try await kept.open(.deletion, in: kept.browser())
        #expect(refused.forms.isEmpty && refused.text.contains("evidence"))
    }

    @Test("People read their decisions and receipts, and nobody else's")
    func history() async throws {
        let fixture = try await AccountFixture()
        let phone = try await InProcessPhone(in: fixture.server)
        _ = try await InProcessClient(via: fixture.server).started()
        _ = try await phone.decideNewest()
        let browser = fixture.browser()
        let page = try await fixture.open(.history, in: browser)
        let link = try page.links.first { $0.hasPrefix(AccountPath.receipt.rawValue) }.orThrow("no receipt")
        let receipt = try await browser.open(link)
        #expect(receipt.text.contains("Ann's phone") && receipt.text.contains("Your phone’s key"))
        let file = try await browser.open("\(link)&download=1")
        #expect(file.answer.fields["Content-Type"] == "application/jose")
        #expect(file.text.split(separator: ".").count == 3)
        let other = fixture.browser()
        _ = try await fixture.open(.start, in: other, as: "bob@example.org")
        #expect(try await other.open(link).path == AccountPath.history.rawValue)
    }
}
