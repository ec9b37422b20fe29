import Audit
import AuthorizationCore
import OAuthWire
import Primitives

extension LoginTransactions {
    /// Gives the code (RFC 6749 clause 4.1.2) with `iss` (RFC 9207), and ends the transaction, where there is one.
    func complete(
        _ transaction: LoginTransaction, isStored: Bool, now: Timestamp
    ) async throws -> AuthorizationResponse {
        guard let user = transaction.user, let session = transaction.session else {
            throw AuthorizationPageFailure.noTransaction
        }
        let code = Identifiers.handle(random)
        let request = transaction.request
        let access = GrantedAccess(
            id: Identifiers.authorization(random), tenant: transaction.tenant.id, client: transaction.client.id,
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
                    hash: hash(code), access: access, redirectURI: request.redirectURI,
                    codeChallenge: request.codeChallenge, nonce: request.nonce, createdAt: now,
                    expiresAt: now + .seconds(AuthorizationCode.lifetime)),
                consent: consent,
                session: SessionUse(
                    id: session.id, client: access.client, host: transaction.tenant.host, at: now,
                    idleExpiresAt: min(idle, session.expiresAt)),
                event: event(
                    consent == nil ? .codeIssued : .consentGiven, transaction, now: now,
                    details: ["audience": .string(access.audience), "scope": .string(access.scope.description)])))
        guard completed else { throw AuthorizationPageFailure.noTransaction }
        return transaction.target.response(code: code)
    }
}
