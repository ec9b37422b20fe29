import Audit
import AuthorizationCore
package import OAuthWire
package import Primitives

/// The revocation endpoint's work (RFC 7009).
package struct RevokeToken: Sendable {
    private let store: any RefreshTokenStore
    private let secrets: RefreshTokenSecrets
    private let tokens: AccessTokenReader

    package init(store: any RefreshTokenStore, secrets: RefreshTokenSecrets, tokens: AccessTokenReader) {
        self.store = store
        self.secrets = secrets
        self.tokens = tokens
    }

    /// Ends everything that came of the token's authorization: with a refresh token its access tokens (RFC 7009
    /// clause 2.1), and with an access token the refresh tokens, which could make the next one. A token that is
    /// unknown, over or another client's changes nothing and is no error, so that nobody learns which it was.
    package func revoke(_ asked: Authenticated<Parameters>, now: Timestamp) async throws {
        let text = try asked.message.required("token")
        guard let (authorization, user) = try await authorization(of: text, asked, now: now) else { return }
        var event = AuditEvent(
            .tokenRevoked, tenant: asked.tenant.id, at: now, user: user, client: asked.client.id,
            remoteAddress: asked.remoteAddress)
        event.details["authorization"] = .string(authorization.rawValue)
        try await store.revoke(
            authorization, tenant: asked.tenant.id,
            tokensExpireAt: now + .seconds(ResourceServer.maximumTokenLifetime), event: event)
    }

    /// What a token of that client came of. A hint of its kind is not needed (RFC 7009 clause 2.1).
    private func authorization(
        of text: String, _ asked: Authenticated<Parameters>, now: Timestamp
    ) async throws -> (AuthorizationID, UserID?)? {
        if let token = secrets.read(text, tenant: asked.tenant.id) {
            let hash = secrets.hash(ofFamily: token.family)
            guard let (family, _) = try await store.refreshTokens(hash, tenant: asked.tenant.id),
                family.access.client == asked.client.id
            else { return nil }
            return (family.access.id, family.access.user)
        }
        if let token = tokens.read(text, configuration: asked.configuration, now: now) {
            guard token.client == asked.client.id,
                try await !store.isRevoked(token.authorization, tenant: asked.tenant.id)
            else { return nil }
            return (token.authorization, token.user)
        }
        guard !tokens.isOtherKind(text, configuration: asked.configuration) else {
            throw OAuthError(.unsupportedTokenType, "Only access tokens and refresh tokens can be revoked")
        }
        return nil
    }
}
