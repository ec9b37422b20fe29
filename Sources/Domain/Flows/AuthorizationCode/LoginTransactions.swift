package import Audit
package import AuthorizationCore
import OAuthWire
package import Primitives

/// Everything that the hosted login keeps.
package typealias HostedLoginStore = LoginTransactionStore & SessionStore & AccountStore & ConsentGrantStore
    & EmailTicketStore & EnrollmentStore
    & MultiFactorStore & BackchannelStartStore & BackchannelRedeemStore & MailStore & AuditLog

/// Opens login transactions and takes them on: what every page of the hosted login has in common.
package struct LoginTransactions: Sendable {
    /// Seconds from an authorization request to the end of its login.
    package static let lifetime = 3600

    let store: any HostedLoginStore
    let hashing: any Hashing
    let random: any RandomSource
    let refusals: RefusalLog

    package init(
        store: any HostedLoginStore, hashing: any Hashing, random: any RandomSource, refusals: RefusalLog
    ) {
        self.store = store
        self.hashing = hashing
        self.random = random
        self.refusals = refusals
    }

    /// The transaction of a page's address, with the step it is at. Throws `AuthorizationPageFailure` where there is
    /// none for this browser.
    package func open(
        _ id: String, browser: Browser, configuration: TenantConfiguration, now: Timestamp
    ) async throws -> LoginTransaction {
        guard let stored = try await store.transaction(hash(id), tenant: configuration.tenant.id, now: now),
            // RFC 9700 clause 4.7: a link to a login that somebody else began leads nowhere.
            constantTimeEquals(stored.browserHash, hash(browser.bindingCookie ?? "")),
            let parameters = try? Parameters(form: Array(stored.parameters.utf8))
        else { throw AuthorizationPageFailure.noTransaction }
        let target = try AuthorizationTarget(parameters, configuration: configuration)
        let checked: CheckedAuthorizationRequest
        do {
            checked = try CheckedAuthorizationRequest(
                parameters, from: target.client, configuration: configuration, came: .stored)
        } catch {
            // It was accepted when it came: what it asks for was taken away meanwhile.
            throw AuthorizationPageFailure.withdrawn(error)
        }
        var progress = AuthorizationProgress(stored.progress)
        let proof = hash(browser.proofCookie ?? "")
        // The page's address and the binding cookie may be known to others who used the browser before.
        let isProven = progress.isProven(by: proof)
        if !isProven { progress = progress.beginning }
        var transaction = LoginTransaction(
            id: id, configuration: configuration, request: checked.request, choices: checked.choices,
            access: checked.access,
            target: target, browser: browser, stored: stored, progress: progress,
            sentProof: constantTimeEquals(progress.proof ?? [], proof) ? proof : nil)
        try await loadSession(&transaction, now: now)
        try await refreshAndDecideNextStep(&transaction, now: now)
        return transaction
    }

    /// Takes a transaction on: answers where nothing is left to do, and otherwise keeps its progress. A user who proved
    /// themselves just now gets a session, or a proof for the next step that nobody who knew the browser before has.
    package func proceed(_ transaction: LoginTransaction, now: Timestamp) async throws -> AuthorizationAnswer {
        var transaction = transaction
        var cookie: String?
        try await refreshAndDecideNextStep(&transaction, now: now)
        if let expected = transaction.progress.expectedUser, let proven = transaction.progress.authentication,
            proven.user != expected
        {
            return AuthorizationAnswer(.respond(try await refuseOther(transaction, proven.user, now: now)))
        }
        switch transaction.step {
        case .consent, .done: cookie = try await settleSession(&transaction, now: now)
        case .logIn, .signUp, .selectAccount, .upstream, .enrollDevice, .multiFactor: break
        }
        guard transaction.step == .done else {
            var proof: String?
            if transaction.isProvenNow, transaction.progress.session == nil {
                let made = Identifiers.handle(random)
                transaction.progress.proof = hash(made)
                proof = made
            }
            try await keep(&transaction)
            return AuthorizationAnswer(.interact(transaction), sessionCookie: cookie, proofCookie: proof)
        }
        let response = try await complete(transaction, isStored: true, now: now)
        return AuthorizationAnswer(
            .respond(response), sessionCookie: cookie,
            receiver: AuthorizationAnswer.Receiver(session: transaction.session?.id, proof: transaction.sentProof))
    }

    /// OIDC Core 3.1.2.1: somebody else than the one of `id_token_hint` logged in.
    private func refuseOther(
        _ transaction: LoginTransaction, _ user: UserID, now: Timestamp
    ) async throws -> AuthorizationResponse {
        try await abandon(
            transaction,
            OAuthError(.loginRequired, "Another user than the one of id_token_hint logged in"),
            event: event(
                .loginFailed, transaction, user: user, now: now, details: ["reason": "not the user of id_token_hint"]))
    }

    /// Ends a transaction without a code: what the client is told.
    func abandon(
        _ transaction: LoginTransaction, _ error: OAuthError, event: AuditEvent
    ) async throws -> AuthorizationResponse {
        guard try await store.abandon(transaction.stored.hash, tenant: transaction.tenant.id, event: event) else {
            throw AuthorizationPageFailure.noTransaction
        }
        return transaction.target.response(error)
    }

    /// Stores the progress; of two tabs at once, one is refused.
    func keep(_ transaction: inout LoginTransaction) async throws {
        transaction.stored.progress = transaction.progress.json
        guard try await store.update(transaction.stored) else { throw AuthorizationPageFailure.superseded }
        let stored = transaction.stored
        transaction.stored = StoredLogin(
            hash: stored.hash, tenant: stored.tenant, client: stored.client, browserHash: stored.browserHash,
            parameters: stored.parameters, progress: stored.progress, createdAt: stored.createdAt,
            expiresAt: stored.expiresAt, revision: stored.revision + 1)
    }

    func hash(_ secret: String) -> [UInt8] { hashing.sha256(Array(secret.utf8)) }

    func event(
        _ kind: AuditEvent.Kind, _ transaction: LoginTransaction, user: UserID? = nil, now: Timestamp,
        details: JSONObject = [:]
    ) -> AuditEvent {
        AuditEvent(
            kind, tenant: transaction.tenant.id, at: now, user: user ?? transaction.user?.id,
            client: transaction.client.id, remoteAddress: transaction.browser.remoteAddress, details: details)
    }

    /// The same for what is about no account of ours, and so can come from anybody; nil where there were many of late.
    func anonymousEvent(
        _ kind: AuditEvent.Kind, _ transaction: LoginTransaction, now: Timestamp, details: JSONObject
    ) -> AuditEvent? {
        refusals.admitAnonymous(to: transaction.tenant.id, now: now)?
            .entry(event(kind, transaction, now: now, details: details))
    }
}
