package import AuthorizationCore
import OAuthWire
import Primitives

/// Logs people in for pages of this server. Such a login belongs to no client: it follows the tenant's rules for logins
/// and the page's own, ends with the browser's session alone, and leads back to the page.
package struct PageLogin: Sendable {
    let store: any BeginStore
    let transactions: LoginTransactions
    let limit: LoginLimit

    /// The person whose session is enough by the rules. Nil means that somebody has to log in, or has to give a recent
    /// proof. Reads the session only, so that looking at a page changes nothing.
    package func visitor(
        at page: OwnPage, uiLocales: String?, browser: Browser, context: RequestContext
    ) async throws -> PageVisitor? {
        guard browser.sessionCookie != nil else { return nil }
        let (transaction, _) = try await begun(page, uiLocales, browser, context)
        guard transaction.step == .done, let session = transaction.session, let user = transaction.user else {
            return nil
        }
        return PageVisitor(session: session, user: user, isRecent: page.recency(context.tenant.settings) != nil)
    }

    /// Begins a login that leads back to the page, also for an id that no request has.
    /// - Parameter other: True for another account than that of the browser's session.
    package func begin(
        for page: OwnPage, uiLocales: String?, asOther other: Bool = false, browser: Browser, context: RequestContext
    ) async throws -> AuthorizationAnswer {
        var (transaction, cookie) = try await begun(page, uiLocales, browser, context)
        if other {
            transaction.progress.account = .other
            try await transactions.refreshAndDecideNextStep(&transaction)
        }
        // Another tab logged in meanwhile.
        guard transaction.step != .done else {
            return AuthorizationAnswer(next: .respond(AuthorizationResponse(page: transaction.goal.address)))
        }
        try limit.admit(context)
        transaction.stored.progress = transaction.progress.json
        try await store.create(transaction.stored)
        return AuthorizationAnswer(next: .interact(transaction), bindingCookie: cookie)
    }

    private func begun(
        _ page: OwnPage, _ uiLocales: String?, _ browser: Browser, _ context: RequestContext
    ) async throws -> (transaction: LoginTransaction, cookie: String?) {
        let (goal, checked) = Self.request(page, uiLocales: uiLocales, context.configuration)
        var parameters = FormFields()
        if let uiLocales { parameters.append("ui_locales", uiLocales) }
        return try await transactions.begun(
            goal, checked, keeping: parameters.encoded, browser: browser, context: context)
    }

    static func request(
        _ page: OwnPage, uiLocales: String?, _ configuration: TenantConfiguration
    ) -> (LoginGoal, CheckedAuthorizationRequest) {
        (
            LoginGoal(page, uiLocales: uiLocales, tenant: configuration.tenant),
            CheckedAuthorizationRequest(forPageOf: configuration, uiLocales: uiLocales)
        )
    }
}

/// A person whose session is enough for a page of this server. Only a login makes one.
package struct PageVisitor: Sendable {
    package let session: Session
    package let user: User
    /// True if the person proved themselves as recently as a change of factors needs.
    package let isRecent: Bool

    fileprivate init(session: Session, user: User, isRecent: Bool) {
        self.session = session
        self.user = user
        self.isRecent = isRecent
    }
}

extension LoginTransactions {
    /// The person at the step that offers recovery codes, after a second factor.
    package func visitor(_ transaction: LoginTransaction) throws -> PageVisitor {
        guard transaction.step == .recoveryCodes, let session = transaction.session, let user = transaction.user else {
            throw InteractionFailure.otherStep
        }
        let lifetime = transaction.tenant.settings.recentLoginLifetime
        let given = transaction.authentication?.secondFactorAt
        return PageVisitor(
            session: session, user: user,
            isRecent: given.map { transaction.context.now < $0 + .seconds(lifetime) } ?? false)
    }

    /// Moves on from the offer. `pausing` keeps the login for the next request of its page.
    package func endOffer(_ transaction: LoginTransaction, pausing: Bool) async throws -> AuthorizationAnswer {
        guard transaction.step == .recoveryCodes, let owner = transaction.owner else {
            throw InteractionFailure.otherStep
        }
        var transaction = transaction
        transaction.progress.change(of: owner) { $0.offersRecoveryCodes = false }
        return pausing ? try await pause(transaction) : try await proceed(transaction)
    }
}
