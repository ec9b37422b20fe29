package import AuthorizationCore
package import HTTPModel
import JOSE
import OAuthWire
package import Primitives

/// Userinfo (OIDC Core 5.3).
package struct FetchUserInfo: Sendable {
    let tokens: AccessTokenReader

    /// Claims that the token's scopes permit. Throws `OAuthError` with the codes of RFC 6750 clause 3.1.
    package func claims(
        for token: String, with certificate: ClientCertificate?, context: RequestContext
    ) async throws -> JSONObject {
        let (token, owner) = try await tokens.accept(token, with: certificate, context: context)
        guard let user = owner, token.claims.audience.contains(where: context.tenant.isUserinfoAudience) else {
            throw OAuthError(
                .invalidToken, "The access token is not for the userinfo endpoint: ask for the scope openid")
        }
        guard token.scope.contains("openid") else {
            throw OAuthError(.insufficientScope, "The access token needs the scope openid")
        }
        var claims: JSONObject = ["sub": .string(user.id.rawValue)]
        for (name, value) in user.claims(for: token.scope) { claims[name] = value }
        return claims
    }
}
