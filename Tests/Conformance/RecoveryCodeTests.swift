import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Recovery codes in the place of a lost phone")
struct RecoveryCodeTests {
    /// Ann has a phone that is lost, and ten codes.
    private func lost() async throws -> (fixture: AccountFixture, codes: [String]) {
        let fixture = try await AccountFixture { $0.tenant.settings.multiFactor = .whenEnrolled }
        let phone = try await InProcessPhone(in: fixture.server)
        let codes = try await fixture.codes(in: fixture.browser(), with: phone)
        fixture.grow()
        return (fixture, codes)
    }

    @Test("From a lost phone to the code of a new one in four taps, and the login goes on")
    func journey() async throws {
        let (fixture, codes) = try await lost()
        #expect(codes.count == 10 && Set(codes).count == 10)
        let browser = fixture.browser()
        // 1: log in.
        let waiting = try await fixture.logins.logIn(browser)
        #expect(waiting.path == "/u/mfa-push")
        // 2: no phone any more.
        let link = try waiting.links.first { $0.hasPrefix("/u/mfa-recovery") }.orThrow("no link")
        let page = try await browser.open(link)
        // 3: the code.
        let lost = try await browser.send(page.form("/u/mfa-recovery"), ["code": codes[0].lowercased()])
        #expect(lost.path == AccountPath.lostPhones.rawValue)
        let goOn = try lost.links.first { $0.hasPrefix("/u/login") }.orThrow("no way on")
        // 4: remove it and add another.
        let enrol = try await browser.send(lost.form(AccountPath.lostPhones.rawValue))
        #expect(enrol.path == "/guardian/enroll")
        #expect(try await fixture.count("device") == 0)
        #expect(try await fixture.count("recovery_code") == 9)
        // The new phone must not be asked about the login that it came from.
        let ended = try await fixture.server.database.auditLog("ciba_superseded")
        #expect(ended.count == 1 && ended.first?.consent != nil)
        #expect(try await browser.open(goOn).isAway)
        let used = try #require(try await fixture.server.database.auditLog("gd_recovery_succeed").first)
        #expect(used.user == "auth0|ann")
        #expect(try await fixture.server.database.auditLog("gd_unenroll").first?.actor == "person:auth0|ann")
    }

    @Test("A code works once, for its person alone, and wrong ones are counted as one-time codes are")
    func once() async throws {
        let (fixture, codes) = try await lost()
        func page() async throws -> (InProcessBrowser, InProcessBrowser.Form) {
            let browser = fixture.browser()
            let waiting = try await fixture.logins.logIn(browser)
            let link = try waiting.links.first { $0.hasPrefix("/u/mfa-recovery") }.orThrow("no link")
            return (browser, try await browser.open(link).form("/u/mfa-recovery"))
        }
        let (first, form) = try await page()
        #expect(try await first.send(form, ["code": codes[3]]).path == AccountPath.lostPhones.rawValue)
        let (second, other) = try await page()
        let refused = try await second.send(other, ["code": codes[3]])
        #expect(refused.answer.status == 400 && refused.text.contains("was used before"))
        for attempt in 0..<9 {
            #expect(try await second.send(other, ["code": "wrong \(attempt)"]).answer.status == 400)
        }
        #expect(try await second.send(other, ["code": codes[4]]).answer.status == 429)
        #expect(try await fixture.count("recovery_code") == 9)
    }

    @Test("New codes replace all earlier ones, and there are none without a phone")
    func replaced() async throws {
        let fixture = try await AccountFixture()
        let without = try await fixture.open(.recoveryCodes, in: fixture.browser())
        #expect(without.forms.isEmpty && without.text.contains("Add a phone first"))
        let phone = try await InProcessPhone(in: fixture.server)
        let browser = fixture.browser()
        let old = try await fixture.codes(in: browser, with: phone)
        let new = try await fixture.codes(in: browser, with: phone)
        #expect(old.count == 10 && new.count == 10 && Set(old).isDisjoint(with: new))
        #expect(try await fixture.count("recovery_code") == 10)
    }

    @Test("After a first phone in a login, people are offered codes, and may go on without", arguments: [true, false])
    func offered(makes: Bool) async throws {
        let fixture = try await AccountFixture { $0.tenant.settings.multiFactor = .always }
        let browser = fixture.browser()
        let page = try await fixture.logins.logIn(browser)
        #expect(page.path == "/u/enroll")
        let phone = try await InProcessPhone(in: fixture.server)
        let waiting = try await browser.open(page.url)
        #expect(waiting.path == "/u/mfa-push")
        _ = try await phone.decideNewest()
        let offer = try await browser.send(waiting.form("/u/mfa-push"))
        #expect(offer.path == "/u/recovery-codes")
        let next = try await browser.send(offer.form("/u/recovery-codes"), makes ? [:] : ["later": "1"])
        guard makes else {
            #expect(next.isAway && next.parameters["code"] != nil)
            return
        }
        #expect(try await fixture.count("recovery_code") == 10)
        let link = try next.links.first { $0.hasPrefix("/u/login") }.orThrow("no way on")
        #expect(try await browser.open(link).isAway)
    }
}
