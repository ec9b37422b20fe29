import Audit
package import AuthorizationCore
import OAuthWire
import Primitives

/// Opens login transactions and moves them to their next step.
package struct LoginTransactions: Sendable {
    /// Seconds from an authorization request to the end of its login.
    package static let lifetime = 3600

    let store: any StepStore
    let hashing: any Hashing
    let random: any RandomSource
    let completion: CompleteAuthorization

    /// Opens the transaction of a page's address, at its step. Throws `AuthorizationPageFailure` if this browser has
    /// none.
    package func open(_ id: String, browser: Browser, context: RequestContext) async throws -> LoginTransaction {
        guard
            let stored = try await store.transaction(hashing.digest(id), tenant: context.tenant.id, now: context.now),
            // RFC 9700 clause 4.7: a link to a login that somebody else began leads nowhere.
            constantTimeEquals(stored.browserHash, hashing.digest(browser.bindingCookie ?? "")),
            let parameters = try? Parameters(form: Array(stored.parameters.utf8))
        else { throw AuthorizationPageFailure.noTransaction }
        let (goal, checked) = try Self.request(stored.goal, parameters, context.configuration)
        var progress = AuthorizationProgress(stored.progress)
        let proof = hashing.digest(browser.proofCookie ?? "")
        // People who used the browser before may know the page's address and the binding cookie.
        if !progress.isProven(by: proof) { progress = progress.beginning }
        var transaction = LoginTransaction(
            id: id, context: context, checked: checked, goal: goal, browser: browser, stored: stored,
            progress: progress, sentProof: constantTimeEquals(progress.proof ?? [], proof) ? proof : nil)
        try await loadSession(&transaction)
        try await refreshAndDecideNextStep(&transaction)
        return transaction
    }

    /// The request of a stored login.
    private static func request(
        _ goal: StoredLogin.Goal, _ parameters: Parameters, _ configuration: TenantConfiguration
    ) throws(AuthorizationPageFailure) -> (LoginGoal, CheckedAuthorizationRequest) {
        if case .page(let page) = goal {
            return PageLogin.request(page, uiLocales: parameters["ui_locales"], configuration)
        }
        let target = try AuthorizationTarget(parameters, configuration: configuration)
        do {
            return (
                .client(target),
                try CheckedAuthorizationRequest(
                    parameters, from: target.client, configuration: configuration, came: .stored)
            )
        } catch {
            // The request was accepted when it came. Since then the client lost a right that it needs.
            throw .withdrawn(error)
        }
    }

    /// A new login that is not stored yet, at its step. `cookie` is the browser's new binding cookie, if it needs one.
    func begun(
        _ goal: LoginGoal, _ checked: CheckedAuthorizationRequest, keeping parameters: String,
        expecting user: UserID? = nil, browser: Browser, context: RequestContext
    ) async throws -> (transaction: LoginTransaction, cookie: String?) {
        var answersOpener = false
        if case .client(let target) = goal { answersOpener = target.mode == .webMessage }
        let id = LoginID.make(random, answersOpener: answersOpener)
        let binding = browser.bindingCookie.flatMap { Base64URL.decode($0)?.count == 32 ? $0 : nil }
        let cookie = binding ?? Identifiers.handle(random)
        var transaction = LoginTransaction(
            id: id, context: context, checked: checked, goal: goal, browser: browser,
            stored: StoredLogin(
                hash: hashing.digest(id), tenant: context.tenant.id, goal: goal.stored,
                browserHash: hashing.digest(cookie), parameters: parameters, progress: [:], createdAt: context.now,
                expiresAt: context.now + .seconds(Self.lifetime)),
            progress: AuthorizationProgress(expecting: user))
        try await loadSession(&transaction)
        try await refreshAndDecideNextStep(&transaction)
        return (transaction, binding == nil ? cookie : nil)
    }

    /// Moves a transaction on: answers the client if no step is left, and otherwise keeps its progress. A user who proved
    /// themselves in this request gets a session, or a proof for the next step that nobody else has.
    package func proceed(_ transaction: LoginTransaction) async throws -> AuthorizationAnswer {
        var transaction = transaction
        try await refreshAndDecideNextStep(&transaction)
        if let expected = transaction.progress.expectedUser, let proven = transaction.progress.authentication,
            proven.user != expected
        {
            return AuthorizationAnswer(next: .respond(try await refuse(proven.user, transaction)))
        }
        let cookie = transaction.step.followsAuthentication ? try await completion.settleSession(&transaction) : nil
        guard transaction.step == .done else {
            var proof: String?
            if transaction.isProvenNow, transaction.progress.session == nil {
                let made = Identifiers.handle(random)
                transaction.progress.proof = hashing.digest(made)
                proof = made
            }
            try await store.keep(&transaction)
            return AuthorizationAnswer(next: .interact(transaction), sessionCookie: cookie, proofCookie: proof)
        }
        let response = try await completion.complete(&transaction, isStored: true)
        return AuthorizationAnswer(
            next: .respond(response), sessionCookie: cookie,
            receiver: AuthorizationAnswer.Receiver(session: transaction.session?.id, proof: transaction.sentProof))
    }

    /// Keeps the progress of a user who proved themselves in this request, and gives the browser its session if nothing
    /// is missing in the authentication.
    func pause(_ transaction: LoginTransaction) async throws -> AuthorizationAnswer {
        var transaction = transaction
        try await refreshAndDecideNextStep(&transaction)
        guard transaction.step.followsAuthentication else { return try await proceed(transaction) }
        let cookie = try await completion.settleSession(&transaction)
        try await store.keep(&transaction)
        return AuthorizationAnswer(next: .interact(transaction), sessionCookie: cookie)
    }

    /// Draws on the budget of the user who is about to log in, before a factor is used up.
    func charge(_ user: UserID, _ transaction: inout LoginTransaction) throws {
        try completion.charge(user, &transaction)
    }

    /// Continues as the user who authenticated in this request. Drops values of other users.
    func proceed(_ transaction: LoginTransaction, as authentication: Authentication) async throws -> AuthorizationAnswer
    {
        var transaction = transaction
        transaction.progress = transaction.progress.beginning
        transaction.prove(authentication)
        return try await proceed(transaction)
    }

    /// OIDC Core 3.1.2.1: another user than the one of `id_token_hint` logged in.
    private func refuse(_ user: UserID, _ transaction: LoginTransaction) async throws -> AuthorizationResponse {
        try await abandon(
            transaction, OAuthError(.loginRequired, "Another user than the one of id_token_hint logged in"),
            event: transaction.event(
                .loginFailed, charge: .once(.login), user: user, details: ["reason": "not the user of id_token_hint"]))
    }

    /// Ends a transaction without a code. Returns the client's answer.
    func abandon(
        _ transaction: LoginTransaction, _ error: OAuthError, event: AuditEvent
    ) async throws -> AuthorizationResponse {
        guard try await store.abandon(transaction.stored.hash, tenant: transaction.tenant.id, event: event) else {
            throw AuthorizationPageFailure.noTransaction
        }
        return transaction.goal.response(error)
    }
}

extension Hashing {
    /// SHA-256 of a text.
    func digest(_ text: String) -> [UInt8] { sha256(Array(text.utf8)) }
}
