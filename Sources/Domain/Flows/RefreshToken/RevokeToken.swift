import Audit
import AuthorizationCore
package import OAuthWire
import Primitives

/// Revocation (RFC 7009).
package struct RevokeToken: Sendable {
    private let store: any RefreshTokenStore
    private let secrets: RefreshTokenSecrets
    private let tokens: AccessTokenReader

    package init(store: any RefreshTokenStore, secrets: RefreshTokenSecrets, tokens: AccessTokenReader) {
        self.store = store
        self.secrets = secrets
        self.tokens = tokens
    }

    /// Revokes all tokens of the token's authorization: with a refresh token its access tokens (RFC 7009 clause 2.1),
    /// and with an access token the refresh tokens, which could be exchanged for another. An unknown token, an expired
    /// one and another client's change nothing and are no errors, so that nobody learns which it was.
    package func revoke(_ asked: Authenticated<Parameters>) async throws {
        let text = try asked.message.required("token")
        guard let (authorization, user) = try await authorization(of: text, asked) else { return }
        let event = asked.context.event(
            .tokenRevoked, user: user, client: asked.client.id,
            details: ["authorization": .string(authorization.rawValue)])
        try await store.revoke(
            authorization, tenant: asked.tenant.id,
            tokensExpireAt: asked.context.now + .seconds(ResourceServer.maximumTokenLifetime), event: event)
    }

    /// Authorization of a token of that client. No hint is needed (RFC 7009 clause 2.1).
    private func authorization(
        of text: String, _ asked: Authenticated<Parameters>
    ) async throws -> (AuthorizationID, UserID?)? {
        if let token = secrets.read(text, tenant: asked.tenant.id) {
            let hash = secrets.hash(ofFamily: token.family)
            guard let (family, _) = try await store.refreshTokens(hash, tenant: asked.tenant.id),
                family.access.client == asked.client.id
            else { return nil }
            return (family.access.id, family.access.user)
        }
        if let token = tokens.read(text, context: asked.context) {
            guard token.client == asked.client.id,
                try await !store.isRevoked(token.authorization, tenant: asked.tenant.id)
            else { return nil }
            return (token.authorization, token.user)
        }
        guard !tokens.isOtherKind(text, context: asked.context) else {
            throw OAuthError(.unsupportedTokenType, "Only access tokens and refresh tokens can be revoked")
        }
        return nil
    }
}
