package import AuthorizationCore
package import HTTPModel
import JOSE
import OAuthWire
import Primitives

package protocol AccessTokenStore: Sendable {
    /// Reads the revocation of the token's authorization and its user at once. The user is nil if it was deleted.
    func status(of authorization: AuthorizationID, user: UserID?, tenant: TenantID) async throws
        -> (isRevoked: Bool, user: User?)
}

/// Reads access tokens that this server issued.
package struct AccessTokenReader: Sendable {
    private static let types: Set<String> = ["JWT", "at+jwt", "application/at+jwt"]

    let store: any AccessTokenStore
    let verifier: any Verifier
    let hashing: any Hashing

    /// Claims of a JWT of any age and purpose that this tenant's published keys signed, under any of the tenant's
    /// names.
    private func signed(_ token: String, _ configuration: TenantConfiguration) -> (claims: Claims, type: String?)? {
        guard let jws = try? JWS(parsing: token),
            let key = configuration.keys.published.key(id: jws.keyID, for: jws.algorithm), key.keyID == jws.keyID,
            let payload = try? jws.verified(by: key, allowed: [jws.algorithm], using: verifier),
            let claims = Claims(payload: payload), let issuer = claims.issuer, configuration.tenant.isIssuer(issuer)
        else { return nil }
        return (claims, jws.type)
    }

    /// An unexpired access token of this tenant. It may be revoked.
    func read(_ token: String, context: RequestContext) -> AccessToken? {
        guard let (claims, type) = signed(token, context.configuration) else { return nil }
        var policy = VerificationPolicy()
        policy.types = Self.types
        // The leeway is for another node's clock; the end is exact.
        guard (try? policy.check(claims, type: type, now: context.now)) != nil, let read = AccessToken(claims),
            context.now < read.expiresAt
        else { return nil }
        return read
    }

    /// True if this tenant issued the token for that audience and it has not expired. Revocation and a bound
    /// certificate are not checked.
    package func isFresh(_ token: String, for audience: String, context: RequestContext) -> Bool {
        read(token, context: context)?.claims.audience.contains(audience) ?? false
    }

    /// True for a JWT of this tenant that is no access token, such as an ID token.
    func isOtherKind(_ token: String, context: RequestContext) -> Bool {
        signed(token, context.configuration).map { AccessToken($0.claims) == nil } ?? false
    }

    /// A valid access token and its user. The user is nil for a token that a client has for itself.
    /// - Parameter certificate: Certificate of the connection, which a bound token must match (RFC 8705 clause 3).
    /// - Throws: `OAuthError` with the code `invalid_token` (RFC 6750 clause 3.1) for any other token.
    package func accept(
        _ token: String, with certificate: ClientCertificate?, context: RequestContext
    ) async throws -> (token: AccessToken, user: User?) {
        guard let found = try await active(token, context: context) else {
            throw OAuthError(.invalidToken, "The access token is malformed, expired or revoked")
        }
        guard found.token.constraint.isMet(by: SenderConstraint.proven(by: certificate, hashing)) else {
            throw OAuthError(
                .invalidToken, "The access token is bound to a certificate that the connection did not present")
        }
        return found
    }

    /// A token that is not revoked and whose user exists and is not blocked, with that user. A token that a client has
    /// for itself is active as long as the client exists.
    package func active(_ token: String, context: RequestContext) async throws -> (token: AccessToken, user: User?)? {
        guard let read = read(token, context: context), context.configuration.client(read.client) != nil else {
            return nil
        }
        let status = try await store.status(of: read.authorization, user: read.user, tenant: context.tenant.id)
        guard !status.isRevoked else { return nil }
        if read.user != nil {
            guard let user = status.user, !user.blocked else { return nil }
            return (read, user)
        }
        return (read, nil)
    }
}
