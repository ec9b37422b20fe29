package import AuthorizationCore
import OAuthWire
import Primitives

/// Logs people in for the approval page. Such a login belongs to no client: it follows the tenant's rules for logins,
/// ends with the browser's session alone, and leads back to the page.
package struct PageLogin: Sendable {
    /// Parameter of a stored login that names the page's request. No client can send it, because requests of clients are
    /// kept by the names that they may have.
    private static let parameter = "approval"

    private let store: any BeginStore
    private let transactions: LoginTransactions
    private let limit: LoginLimit

    package init(store: any BeginStore, transactions: LoginTransactions, limit: LoginLimit) {
        self.store = store
        self.transactions = transactions
        self.limit = limit
    }

    /// The person whose session is enough by the tenant's rules for logins. Nil means that somebody has to log in. Reads
    /// the session only, so that looking at a page changes nothing.
    package func visitor(
        at page: ConsentID, uiLocales: String?, browser: Browser, context: RequestContext
    ) async throws -> PageVisitor? {
        guard browser.sessionCookie != nil else { return nil }
        let (transaction, _) = try await begun(page, uiLocales, browser, context)
        guard transaction.step == .done, let session = transaction.session, let user = transaction.user else {
            return nil
        }
        return PageVisitor(session: session, user: user)
    }

    /// Begins a login that leads back to the page, also for an id that no request has.
    /// - Parameter other: True for another account than that of the browser's session.
    package func begin(
        for page: ConsentID, uiLocales: String?, asOther other: Bool, browser: Browser, context: RequestContext
    ) async throws -> AuthorizationAnswer {
        var (transaction, cookie) = try await begun(page, uiLocales, browser, context)
        if other {
            transaction.progress.account = .other
            try await transactions.refreshAndDecideNextStep(&transaction)
        }
        // Another tab logged in meanwhile.
        guard transaction.step != .done else { return AuthorizationAnswer(.respond(transaction.target.pageResponse)) }
        try limit.admit(context)
        transaction.stored.progress = transaction.progress.json
        try await store.create(transaction.stored)
        return AuthorizationAnswer(.interact(transaction), bindingCookie: cookie)
    }

    private func begun(
        _ page: ConsentID, _ uiLocales: String?, _ browser: Browser, _ context: RequestContext
    ) async throws -> (transaction: LoginTransaction, cookie: String?) {
        let (target, checked) = try Self.request(page, uiLocales: uiLocales, context.configuration)
        var parameters = FormFields([(Self.parameter, page.rawValue)])
        if let uiLocales { parameters.append("ui_locales", uiLocales) }
        return try await transactions.begun(
            target, checked, keeping: parameters.encoded, browser: browser, context: context)
    }

    /// The page that a stored login leads back to. Nil for a login of a client.
    static func page(_ parameters: Parameters) -> ConsentID? { parameters[parameter].map { ConsentID($0) } }

    static func request(
        _ page: ConsentID, uiLocales: String?, _ configuration: TenantConfiguration
    ) throws(OAuthError) -> (AuthorizationTarget, CheckedAuthorizationRequest) {
        let target = AuthorizationTarget(page: page, uiLocales: uiLocales, tenant: configuration.tenant)
        return (
            target,
            try CheckedAuthorizationRequest(page: target, uiLocales: uiLocales, configuration: configuration)
        )
    }
}

/// A person whose session is enough for the approval page. Only `PageLogin` makes one.
package struct PageVisitor: Sendable {
    package let session: Session
    package let user: User

    fileprivate init(session: Session, user: User) {
        self.session = session
        self.user = user
    }
}
