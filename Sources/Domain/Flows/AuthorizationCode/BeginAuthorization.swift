package import AuthorizationCore
package import JOSE
import Localization
package import OAuthWire
package import Primitives

/// The authorization endpoint's work (RFC 6749 clause 4.1.1, OIDC Core 3.1.2): answers at once where the browser's
/// session is enough, and otherwise begins a login.
package struct BeginAuthorization: Sendable {
    private let transactions: LoginTransactions
    private let verifier: any Verifier
    private let limit: LoginLimit

    package init(transactions: LoginTransactions, verifier: any Verifier, limit: LoginLimit) {
        self.transactions = transactions
        self.verifier = verifier
        self.limit = limit
    }

    /// What the client is told of a request that could not be read as a whole. Throws `AuthorizationPageFailure` where
    /// it is not known who that is.
    package func refuse(
        _ parameters: Parameters, because problem: OAuthError, configuration: TenantConfiguration
    ) throws(AuthorizationPageFailure) -> AuthorizationAnswer {
        AuthorizationAnswer(
            .respond(try AuthorizationTarget(parameters, configuration: configuration).response(problem)))
    }

    /// Throws `AuthorizationPageFailure` for what must be shown here; what the client did wrong otherwise is in the
    /// answer. `interact` with the step `upstream` goes to the other provider without a page.
    package func begin(
        _ parameters: Parameters, browser: Browser, configuration: TenantConfiguration, now: Timestamp
    ) async throws -> AuthorizationAnswer {
        let (parameters, isPushed) = try await resolved(parameters, configuration: configuration, now: now)
        let target = try AuthorizationTarget(parameters, configuration: configuration)
        let checked: CheckedAuthorizationRequest
        let expectedUser: UserID?
        do {
            checked = try CheckedAuthorizationRequest(
                parameters, from: target.client, configuration: configuration, came: isPushed ? .pushed : .byBrowser)
            expectedUser = try self.expectedUser(checked.request, configuration: configuration)
        } catch {
            return AuthorizationAnswer(.respond(target.response(error)))
        }
        let id = LoginID.make(transactions.random, answersOpener: target.mode == .webMessage)
        let binding = browser.bindingCookie.flatMap { Base64URL.decode($0)?.count == 32 ? $0 : nil }
        let cookie = binding ?? Identifiers.handle(transactions.random)
        var transaction = LoginTransaction(
            id: id, configuration: configuration, request: checked.request, choices: checked.choices,
            access: checked.access,
            target: target, browser: browser,
            stored: StoredLogin(
                hash: transactions.hash(id), tenant: configuration.tenant.id, client: target.client.id,
                browserHash: transactions.hash(cookie),
                parameters: parameters.encoded(only: AuthorizationRequest.keptNames), progress: [:],
                createdAt: now, expiresAt: now + .seconds(LoginTransactions.lifetime)),
            progress: AuthorizationProgress(expecting: expectedUser))
        try await transactions.loadSession(&transaction, now: now)
        try await transactions.refreshAndDecideNextStep(&transaction, now: now)
        if transaction.step == .done {
            return AuthorizationAnswer(
                .respond(try await transactions.complete(transaction, isStored: false, now: now)))
        }
        if checked.request.prompts.contains(.none) {
            return AuthorizationAnswer(.respond(target.response(Self.interactionNeeded(for: transaction.step))))
        }
        try limit.admit(browser.remoteAddress, tenant: configuration.tenant, now: now)
        if transaction.step == .consent { transaction.progress.session = transaction.session?.id }
        transaction.stored.progress = transaction.progress.json
        try await transactions.store.create(transaction.stored)
        return AuthorizationAnswer(.interact(transaction), bindingCookie: binding == nil ? cookie : nil)
    }

    /// A pushed request replaces everything that came with its `request_uri` (RFC 9126 clause 4, RFC 9101 clause 6.3).
    private func resolved(
        _ parameters: Parameters, configuration: TenantConfiguration, now: Timestamp
    ) async throws -> (Parameters, isPushed: Bool) {
        guard let uri = parameters["request_uri"] else { return (parameters, false) }
        let client = ClientID(parameters["client_id"] ?? "")
        let prefix = PushAuthorizationRequest.requestURIPrefix
        guard uri.hasPrefix(prefix),
            let form = try await transactions.store.takePushed(
                transactions.hash(String(uri.dropFirst(prefix.count))), client: client, tenant: configuration.tenant.id,
                now: now),
            let pushed = try? Parameters(form: Array(form.utf8))
        else {
            throw AuthorizationPageFailure(
                .requestURI,
                localized.failure.page.usedLoginLink, detail: "request_uri of client \(client.rawValue.prefix(64))")
        }
        return (pushed, true)
    }

    /// Whom the client believes to be there (OIDC Core 3.1.2.1, `id_token_hint`), also by an ID token that has expired.
    private func expectedUser(
        _ request: AuthorizationRequest, configuration: TenantConfiguration
    ) throws(OAuthError) -> UserID? {
        guard let text = request.idTokenHint else { return nil }
        guard let hint = try? IDTokenHint(text, configuration: configuration, verifier: verifier) else {
            throw OAuthError(.invalidRequest, "id_token_hint is not an ID token of this server")
        }
        return hint.user
    }

    /// OIDC Core 3.1.2.6. Whoever embeds a page with `prompt=none` learns no more than these words.
    private static func interactionNeeded(for step: AuthorizationStep) -> OAuthError {
        switch step {
        case .consent:
            OAuthError(.consentRequired, "Consent required")
        case .enrollDevice, .multiFactor:
            OAuthError(.interactionRequired, "Interaction required")
        case .logIn, .signUp, .upstream, .selectAccount, .done:
            OAuthError(.loginRequired, "Login required")
        }
    }
}
