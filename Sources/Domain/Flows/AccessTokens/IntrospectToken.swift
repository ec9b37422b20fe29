import AuthorizationCore
import JOSE
package import OAuthWire
package import Primitives

/// The introspection endpoint's work (RFC 7662): tells a resource server whether a token is good now.
package struct IntrospectToken: Sendable {
    /// What stands in the answer as it stands in the token (RFC 7662 clause 2.2, RFC 9396 clause 9.2).
    private static let repeatedClaims = [
        "iss", "sub", "aud", "iat", "exp", "jti", "scope", "permissions", "authorization_details", "auth_time", "acr",
        "amr", AccessToken.confirmation,
    ]

    private let families: any RefreshTokenStore
    private let secrets: RefreshTokenSecrets
    private let tokens: AccessTokenReader

    package init(families: any RefreshTokenStore, secrets: RefreshTokenSecrets, tokens: AccessTokenReader) {
        self.families = families
        self.secrets = secrets
        self.tokens = tokens
    }

    /// `{"active":false}` for every token that is not good, or none of the caller's business (RFC 7662 clause 2.2),
    /// so that nobody can find out by trying which tokens exist (clause 4).
    package func introspect(_ asked: Authenticated<Parameters>, now: Timestamp) async throws -> JSONObject {
        guard !asked.client.isPublic else {
            throw OAuthError(.invalidClient, "Introspection needs a confidential client")
        }
        let text = try asked.message.required("token")
        let answer =
            if let token = secrets.read(text, tenant: asked.tenant.id) {
                try await describe(token, asked, now: now)
            } else {
                try await describe(text, asked, now: now)
            }
        return answer ?? ["active": false]
    }

    private func describe(
        _ text: String, _ asked: Authenticated<Parameters>, now: Timestamp
    ) async throws -> JSONObject? {
        guard let (token, _) = try await tokens.active(text, configuration: asked.configuration, now: now),
            token.client == asked.client.id || Self.serves(token, asked)
        else { return nil }
        var answer: JSONObject = [
            "active": true, "token_type": "Bearer", "client_id": .string(token.client.rawValue),
        ]
        for name in Self.repeatedClaims { answer[name] = token.claims[name] }
        return answer
    }

    /// Whether the caller is a server of an API that the token is for: one that was granted it by name. That a client
    /// may ask for every API makes it no server of them.
    private static func serves(_ token: AccessToken, _ asked: Authenticated<Parameters>) -> Bool {
        token.claims.audience.contains { audience in
            asked.configuration.resourceServers[audience] != nil
                && asked.client.grants.contains { $0.audience == audience }
        }
    }

    /// Refresh tokens are told of to their own client alone, and only the one that is valid.
    private func describe(
        _ token: RefreshTokenSecrets.Token, _ asked: Authenticated<Parameters>, now: Timestamp
    ) async throws -> JSONObject? {
        let hash = secrets.hash(ofFamily: token.family)
        guard let (family, owner) = try await families.refreshTokens(hash, tenant: asked.tenant.id),
            family.access.client == asked.client.id, family.counter == token.counter, !family.isExpired(at: now),
            let user = owner, !user.blocked
        else { return nil }
        let end = family.idleExpiresAt.map { min($0, family.expiresAt) } ?? family.expiresAt
        var answer: JSONObject = [
            "active": true, "client_id": .string(asked.client.id.rawValue), "iss": .string(asked.tenant.issuer),
            "sub": .string(user.id.rawValue), "aud": .string(family.access.audience),
            "scope": .string(family.access.scope.description), "iat": JSONValue(family.rotatedAt.seconds),
            "exp": JSONValue(end.seconds),
        ]
        answer["authorization_details"] = family.access.authorizationDetails
        return answer
    }
}
