import AuthorizationCore
import JOSE
package import OAuthWire
package import Primitives

/// Introspection (RFC 7662): tells a resource server whether a token is active.
package struct IntrospectToken: Sendable {
    /// Claims that the answer repeats (RFC 7662 clause 2.2, RFC 9396 clause 9.2).
    private static let repeatedClaims = [
        "iss", "sub", "aud", "iat", "exp", "jti", "scope", "permissions", "authorization_details", "approval",
        "auth_time", "acr",
        "amr", SenderConstraint.claim,
    ]

    let families: any RefreshTokenStore
    let secrets: RefreshTokenSecrets
    let tokens: AccessTokenReader

    /// Answers `{"active":false}` for inactive tokens and for tokens that the caller may not know of (RFC 7662 clause
    /// 2.2), so that nobody finds out by trying which tokens exist (clause 4).
    package func introspect(_ request: Authenticated<Parameters>) async throws -> JSONObject {
        guard !request.client.isPublic else {
            throw OAuthError(.invalidClient, "Introspection needs a confidential client")
        }
        let text = try request.message.required("token")
        let answer =
            if let token = secrets.read(text, of: request.configuration) {
                try await describe(token, request)
            } else {
                try await describe(text, request)
            }
        return answer ?? ["active": false]
    }

    private func describe(_ text: String, _ request: Authenticated<Parameters>) async throws -> JSONObject? {
        guard let (token, _) = try await tokens.active(text, context: request.context),
            token.client == request.client.id || Self.serves(token, request)
        else { return nil }
        var answer: JSONObject = [
            "active": true, "token_type": .string(token.constraint.tokenType.rawValue),
            "client_id": .string(token.client.rawValue),
        ]
        for name in Self.repeatedClaims { answer[name] = token.claims[name] }
        return answer
    }

    /// True if the caller serves an API in the token's audience: it was granted the API by name. A client that may
    /// request every API serves none of them.
    private static func serves(_ token: AccessToken, _ request: Authenticated<Parameters>) -> Bool {
        token.claims.audience.contains { audience in
            request.configuration.resourceServers[audience] != nil
                && request.client.grants.contains { $0.audience == audience }
        }
    }

    /// Describes a refresh token to its own client alone, and only the valid token of a family.
    private func describe(
        _ token: RefreshTokenSecrets.Token, _ request: Authenticated<Parameters>
    ) async throws -> JSONObject? {
        let hash = secrets.hash(ofFamily: token.family)
        let found = try await families.intact(hash, request.context) {
            try await families.refreshTokens(hash, tenant: request.tenant.id)
        }
        guard let (family, owner) = found, family.access.client == request.client.id, family.counter == token.counter,
            !family.isExpired(at: request.context.now),
            let user = owner, !user.blocked
        else { return nil }
        let end = family.idleExpiresAt.map { min($0, family.expiresAt) } ?? family.expiresAt
        var answer: JSONObject = [
            "active": true, "client_id": .string(request.client.id.rawValue), "iss": .string(request.tenant.issuer),
            "sub": .string(user.id.rawValue), "aud": .string(family.access.audience),
            "scope": .string(family.access.scope.description), "iat": JSONValue(family.rotatedAt.seconds),
            "exp": JSONValue(end.seconds),
        ]
        answer["authorization_details"] = family.access.authorizationDetails
        return answer
    }
}
