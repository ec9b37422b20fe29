import AuthorizationCore
import Configuration
import HTTPModel
import OAuthWire
import OpenSSLCrypto
import Persistence
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Pages for people whose authenticator app came from another server")
struct AuthenticatorPagesTests {
    private static let secret = "JBSWY3DPEHPK3PXP"

    /// Ann has an authenticator app and no phone.
    private func fixture(_ policy: MultiFactorPolicy = .whenEnrolled) async throws -> AccountFixture {
        let fixture = try await AccountFixture { $0.tenant.settings.multiFactor = policy }
        let new = try NewAuthenticator(
            ForeignAuthenticator(TimedPassword(base32: Self.secret), named: "Work"), of: UserID("auth0|ann"),
            tenant: TenantID("dev"),
            at: fixture.server.clock.now, Samples.sealer, SystemRandom())
        try await fixture.server.storage.store.change { try $0.add(new, in: TenantID("dev")) }
        return fixture
    }

    /// Types the code of the app's present step.
    private func give(
        _ page: InProcessBrowser.Page, _ fixture: AccountFixture, in browser: InProcessBrowser
    ) async throws -> InProcessBrowser.Page {
        #expect(page.path == "/u/mfa-code")
        let secret = try Base32.decode(Self.secret).orThrow("no Base32")
        let password = try OneTimePassword(secret: SecretBytes(secret)).orThrow("no password")
        let counter = OneTimePassword.counter(at: fixture.server.clock.now, period: 30)
        let code = password.code(counter: counter, hashing: Samples.hashing)
        fixture.server.clock.advance(by: .seconds(30))
        return try await browser.send(page.form("/u/mfa-code"), ["code": code])
    }

    @Test("A login asks for the code; the password alone opens neither the account nor a way to enrol")
    func logIn() async throws {
        let fixture = try await fixture(.always)
        let browser = fixture.browser()
        let page = try await fixture.logins.logIn(browser)
        #expect(page.path == "/u/mfa-code" && !page.links.contains { $0.hasPrefix("/u/mfa-push") })
        #expect(try await browser.open(AccountPath.addPhone.rawValue).path != AccountPath.addPhone.rawValue)
        #expect(try await give(page, fixture, in: browser).isAway)
        #expect(try await fixture.server.database.auditLog("gd_auth_login_succeed").count == 1)
    }

    @Test("The account page shows the app; removing it, or adding a phone, asks for its code")
    func remove() async throws {
        let fixture = try await fixture()
        let browser = fixture.browser()
        let phones = try await give(fixture.open(.phones, in: browser), fixture, in: browser)
        #expect(phones.path == AccountPath.phones.rawValue)
        #expect(phones.text.contains("Work") && phones.text.contains("It approves no requests"))
        fixture.grow()
        let asked = try await browser.open(AccountPath.addPhone.rawValue)
        let add = try await give(asked, fixture, in: browser)
        #expect(add.path == AccountPath.addPhone.rawValue)
        fixture.grow()
        let link = try phones.links.first { $0.hasPrefix(AccountPath.phone.rawValue) }.orThrow("no link")
        let app = try await browser.open(link)
        let form = try app.form(AccountPath.phone.rawValue)
        let again = try await give(browser.send(form, ["remove": "1"]), fixture, in: browser)
        #expect(try await fixture.count("authenticator") == 1, "the form before the code counts for nothing")
        #expect(again.path == AccountPath.phones.rawValue)
        let removed = try await browser.send(
            browser.open(link).form(AccountPath.phone.rawValue), ["remove": "1"])
        #expect(removed.path == AccountPath.phones.rawValue && !removed.text.contains("Work"))
        #expect(try await fixture.count("authenticator") == 0)
        let entry = try #require(try await fixture.server.database.auditLog("account_changed").last)
        #expect(entry.user == "auth0|ann" && entry.actor == "person:auth0|ann")
    }

    @Test("Recovery codes can be made, and the export names the app without its secret")
    func recovery() async throws {
        let fixture = try await fixture()
        let browser = fixture.browser()
        let page = try await give(fixture.open(.recoveryCodes, in: browser), fixture, in: browser)
        _ = try await browser.send(page.form(AccountPath.recoveryCodes.rawValue))
        #expect(try await fixture.count("recovery_code") == 10)
        let export = try await browser.open(AccountPath.export.rawValue)
        let file = try await browser.send(export.form(AccountPath.export.rawValue))
        #expect(file.answer.json["authenticators"]?[0]?["name"] == "Work" && !file.text.contains(Self.secret))
    }
}
