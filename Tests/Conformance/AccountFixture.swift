import AuthorizationCore
import Flows
import HTTPModel
import OAuthWire
import Primitives
import SQL
import TestSupport
import Testing

/// A server whose people look at their own accounts. Ann and Bob have passwords.
struct AccountFixture {
    let logins: AttackFixture
    var server: InProcessServer { logins.server }

    init(_ change: (inout InProcessServer.Setup) throws -> Void = { _ in }) async throws {
        logins = try await AttackFixture { setup in
            setup.clients.append(Samples.client("agent"))
            try change(&setup)
        }
    }

    func browser(_ fields: HTTPFields = [:]) -> InProcessBrowser { logins.browser(fields: fields) }

    /// Opens a page of the account, and logs in with the password if the server asks for it.
    func open(
        _ path: AccountPath, in browser: InProcessBrowser, as email: String = AttackFixture.ann
    ) async throws -> InProcessBrowser.Page {
        try await logIn(try await browser.open(path.rawValue), in: browser, as: email)
    }

    func logIn(
        _ page: InProcessBrowser.Page, in browser: InProcessBrowser, as email: String = AttackFixture.ann
    ) async throws -> InProcessBrowser.Page {
        guard page.path == "/u/login" else { return page }
        return try await browser.send(
            page.form("/u/login"), ["username": email, "password": AttackFixture.password])
    }

    /// Makes recovery codes on the account's page, with the phone as second factor if the server asks for it.
    func codes(in browser: InProcessBrowser, with phone: InProcessPhone) async throws -> [String] {
        var page = try await confirm(try await open(.recoveryCodes, in: browser), by: phone, in: browser)
        page = try await browser.send(page.form(AccountPath.recoveryCodes.rawValue))
        if page.path == "/u/mfa-push" {
            page = try await confirm(page, by: phone, in: browser)
            page = try await browser.send(page.form(AccountPath.recoveryCodes.rawValue))
        }
        let shown = page
        let root = try Markup.read(shown.answer.body)
        return root.all("li").flatMap { $0.all("code") }.map(\.text)
    }

    /// Allows a login on the phone that it waits for.
    func confirm(
        _ page: InProcessBrowser.Page, by phone: InProcessPhone, in browser: InProcessBrowser
    ) async throws -> InProcessBrowser.Page {
        guard page.path == "/u/mfa-push" else { return page }
        _ = try await phone.decideNewest()
        return try await browser.send(page.form("/u/mfa-push"))
    }

    func count(_ table: StaticString) async throws -> Int { try await server.database.count(table) }

    /// Waits until no proof is recent any more.
    func grow() { server.clock.advance(by: .seconds(301)) }
}
