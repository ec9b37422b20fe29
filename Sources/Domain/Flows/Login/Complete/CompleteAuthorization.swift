package import Audit
package import AuthorizationCore
import OAuthWire
package import Primitives

package protocol CompletionStore: LoginStore, SessionReader {
    /// Keeps a new session in place of the browser's old one. If both have one `id`, the old one goes on as the new
    /// one, with its clients; otherwise it ends. False, with nothing kept, if the user is deleted or their access was
    /// ended after they proved themselves.
    func create(_ session: Session, replacing old: [UInt8]?, event: AuditEvent) async throws -> Bool

    /// Ends a login, or, without one, answers a request at once. Keeps the code, the consent, the session's use and the
    /// event, in one transaction. False, with nothing stored, if the login is at another revision or had ended, or the
    /// session had.
    func complete(_ completion: AuthorizationCompletion) async throws -> Bool

    /// Replaces a code that was not redeemed by another with the same expiry. Replaces the cookie of its session by the
    /// one with the hash `session`; nil leaves it. False, with nothing changed, if the code was redeemed or expired, or
    /// its session ended.
    func renewCode(
        _ hash: [UInt8], as newHash: [UInt8], session: [UInt8]?, tenant: TenantID, now: Timestamp
    ) async throws -> Bool
}

package struct AuthorizationCompletion: Sendable {
    /// The login that ends, with its revision. Nil means that the request was answered without pages.
    package let transaction: (hash: [UInt8], revision: Int)?
    package let code: AuthorizationCode
    /// Adds to the user's earlier consent.
    package let consent: ConsentGrant?
    /// The browser's session: its idle end moves, and it has this client from now on.
    package let session: SessionUse
    package let event: AuditEvent

    package init(
        transaction: (hash: [UInt8], revision: Int)?, code: AuthorizationCode, consent: ConsentGrant?,
        session: SessionUse, event: AuditEvent
    ) {
        self.transaction = transaction
        self.code = code
        self.consent = consent
        self.session = session
        self.event = event
    }
}

/// Ends a login with a session and a code.
package struct CompleteAuthorization: Sendable {
    let store: any CompletionStore
    let hashing: any Hashing
    let random: any RandomSource
    let budgets: AuditBudgets

    /// Draws on the user's budget, once a request, for all entries that its login leaves.
    @discardableResult
    func charge(_ user: UserID, _ transaction: inout LoginTransaction) throws -> AuditCharge {
        if let charge = transaction.charge { return charge }
        let known = transaction.user.flatMap { $0.id == user ? $0 : nil }
        let charge = try budgets.draw(on: .user(user), of: known, transaction.context)
        transaction.charge = charge
        return charge
    }

    /// Settles the session: new if the user authenticated here, otherwise the browser's. Returns the new cookie.
    ///
    /// The user's own session continues under its `sid`, so that its clients hear of its end. If only a second factor was
    /// added, it ends no later than before. The old cookie, which somebody else may have, is worth nothing. Another
    /// user's session ends.
    func settleSession(_ transaction: inout LoginTransaction) async throws -> String? {
        guard transaction.progress.session == nil else { return nil }
        guard let authentication = transaction.progress.authentication else {
            transaction.progress.session = transaction.session?.id
            return nil
        }
        let charge = try charge(authentication.user, &transaction)
        let now = transaction.context.now
        let cookie = Identifiers.handle(random)
        let settings = transaction.tenant.settings
        let own = transaction.session.flatMap { $0.authentication.user == authentication.user ? $0 : nil }
        let unrenewed = own.flatMap { authentication.at <= $0.authentication.at ? $0 : nil }
        let expiresAt = unrenewed?.expiresAt ?? now + .seconds(settings.sessionLifetime)
        let session = Session(
            hash: hashing.digest(cookie), id: own?.id ?? Identifiers.session(random), tenant: transaction.tenant.id,
            authentication: authentication, createdAt: unrenewed?.createdAt ?? now, lastUsedAt: now,
            expiresAt: expiresAt, idleExpiresAt: min(expiresAt, now + .seconds(settings.sessionIdleLifetime)),
            origin: Session.Origin(transaction.context))
        transaction.progress.session = session.id
        transaction.progress.belongings?.owner.session = session.id
        transaction.owner?.session = session.id
        // First the transaction, which only one of two tabs may move on, then the session that it names.
        try await store.keep(&transaction)
        let created = try await store.create(
            session, replacing: transaction.session?.hash,
            event: transaction.event(
                .loggedIn, charge: charge, user: authentication.user,
                details: ["connection": .string(authentication.connection), "amr": JSONValue(authentication.methods)]))
        guard created else { throw AuthorizationPageFailure.noTransaction }
        transaction.session = session
        return cookie
    }

    /// Gives the code (RFC 6749 clause 4.1.2) with `iss` (RFC 9207), and ends the transaction if it is stored. A page
    /// of this server has the session and needs no code.
    func complete(_ transaction: inout LoginTransaction, isStored: Bool) async throws -> AuthorizationResponse {
        let target: AuthorizationTarget
        switch transaction.goal {
        case .client(let client): target = client
        case .page(_, let address):
            guard try await store.finish(transaction.stored) else { throw AuthorizationPageFailure.noTransaction }
            return AuthorizationResponse(page: address)
        }
        guard let user = transaction.user, let session = transaction.session else {
            throw AuthorizationPageFailure.noTransaction
        }
        let charge = try charge(user.id, &transaction)
        let now = transaction.context.now
        let code = Identifiers.handle(random)
        let request = transaction.request
        let access = GrantedAccess(
            id: Identifiers.authorization(random), tenant: transaction.tenant.id, client: target.client.id,
            user: user.id, scope: transaction.access.scope, audience: transaction.access.audience,
            authorizationDetails: request.authorizationDetails?.json, authTime: session.authentication.at,
            methods: session.authentication.methods, contextClass: session.authentication.contextClass,
            session: session.id)
        let consent = transaction.progress.belongings?.consented.map { _ in
            ConsentGrant(
                tenant: access.tenant, user: access.user, client: access.client, audience: access.audience,
                scope: access.scope, createdAt: now, updatedAt: now)
        }
        let idle = now + .seconds(transaction.tenant.settings.sessionIdleLifetime)
        let completed = try await store.complete(
            AuthorizationCompletion(
                transaction: isStored ? (transaction.stored.hash, transaction.stored.revision) : nil,
                code: AuthorizationCode(
                    hash: hashing.digest(code), access: access, redirectURI: request.redirectURI,
                    codeChallenge: request.codeChallenge, nonce: request.nonce, createdAt: now,
                    expiresAt: now + .seconds(AuthorizationCode.lifetime)),
                consent: consent,
                session: SessionUse(
                    id: session.id, client: access.client, host: transaction.tenant.host, at: now,
                    idleExpiresAt: min(idle, session.expiresAt)),
                event: transaction.event(
                    consent == nil ? .codeIssued : .consentGiven, charge: charge,
                    details: ["audience": .string(access.audience), "scope": .string(access.scope.description)])))
        guard completed else { throw AuthorizationPageFailure.noTransaction }
        return target.response(code: code)
    }
}
