import Audit
import AuthorizationCore
package import OAuthWire
import Primitives

/// Revocation (RFC 7009).
package struct RevokeToken: Sendable {
    let store: any RefreshTokenStore
    let secrets: RefreshTokenSecrets
    let tokens: AccessTokenReader

    /// Revokes all tokens of the token's authorization: with a refresh token its access tokens (RFC 7009 clause 2.1),
    /// and with an access token the refresh tokens, which could be exchanged for another. An unknown token, an expired
    /// one and another client's change nothing and are no errors, so that nobody learns which it was.
    package func revoke(_ request: Authenticated<Parameters>) async throws {
        let text = try request.message.required("token")
        guard let (authorization, user) = try await authorization(of: text, request) else { return }
        let event = request.context.event(
            .tokenRevoked, charge: .once(.authorization), user: user, client: request.client.id,
            details: ["authorization": .string(authorization.rawValue)])
        try await store.revoke(
            authorization, tenant: request.tenant.id,
            tokensExpireAt: request.context.now + .seconds(ResourceServer.maximumTokenLifetime), event: event)
    }

    /// Authorization of a token of that client. No hint is needed (RFC 7009 clause 2.1).
    private func authorization(
        of text: String, _ request: Authenticated<Parameters>
    ) async throws -> (AuthorizationID, UserID?)? {
        if let token = secrets.read(text, of: request.configuration) {
            let hash = secrets.hash(ofFamily: token.family)
            let found = try await store.intact(hash, request.context) {
                try await store.refreshTokens(hash, tenant: request.tenant.id)
            }
            guard let (family, _) = found, family.access.client == request.client.id else { return nil }
            return (family.access.id, family.access.user)
        }
        if let token = tokens.read(text, context: request.context) {
            guard token.client == request.client.id,
                try await !store.isRevoked(token.authorization, tenant: request.tenant.id)
            else { return nil }
            return (token.authorization, token.user)
        }
        guard !tokens.isOtherKind(text, context: request.context) else {
            throw OAuthError(.unsupportedTokenType, "Only access tokens and refresh tokens can be revoked")
        }
        return nil
    }
}
