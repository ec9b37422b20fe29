import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

/// A server whose user Ann is an administrator with the given scopes of the Management API.
struct DashboardFixture {
    let account: AccountFixture
    var server: InProcessServer { account.server }

    static let role = Administrators.roleID
    static let allScopes = Set(ResourceServer.managementScopes)

    init(
        scopes: Set<String> = allScopes, _ change: (inout InProcessServer.Setup) throws -> Void = { _ in }
    ) async throws {
        account = try await AccountFixture { setup in
            let permissions = scopes.map {
                Role.Permission(resourceServer: setup.tenant.managementAudience, scope: $0)
            }
            setup.roles.append(
                Role(id: Self.role, name: "Administrator", description: "", permissions: Set(permissions)))
            setup.users[0].roles = [Self.role]
            try change(&setup)
        }
    }

    func browser(_ fields: HTTPFields = [:]) -> InProcessBrowser { account.browser(fields) }

    /// Opens a page, and logs in with the password if the server asks for it.
    func open(
        _ path: String, in browser: InProcessBrowser, as email: String = AttackFixture.ann
    ) async throws -> InProcessBrowser.Page {
        try await account.logIn(try await browser.open(path), in: browser, as: email)
    }

    /// Sends the form of an action, reviews it and makes the change.
    func change(
        _ path: String, _ fields: [String: String] = [:], in browser: InProcessBrowser
    ) async throws -> InProcessBrowser.Page {
        var page = try await open(path, in: browser)
        if try !fields.isEmpty || page.form(path).fields["once"] == nil {
            page = try await browser.send(page.form(path), fields.merging(["step": "review"]) { $1 })
        }
        return try await browser.send(page.form(path), ["step": "change"])
    }
}
