package import AuthorizationCore
package import HTTPModel
package import JOSE
import OAuthWire
package import Primitives

/// Reads access tokens that this server made.
package struct AccessTokenReader: Sendable {
    private static let types: Set<String> = ["JWT", "at+jwt", "application/at+jwt"]

    private let store: any AccessTokenStore
    private let verifier: any Verifier
    private let hashing: any Hashing

    package init(store: any AccessTokenStore, verifier: any Verifier, hashing: any Hashing) {
        self.store = store
        self.verifier = verifier
        self.hashing = hashing
    }

    /// The claims of a JWT that this tenant's published keys signed under any of its names, whatever it is for and however old; nil for
    /// anything else.
    private func signed(_ token: String, configuration: TenantConfiguration) -> (claims: Claims, type: String?)? {
        guard let jws = try? JWS(parsing: token),
            let key = configuration.keys.published.key(id: jws.keyID, for: jws.algorithm), key.keyID == jws.keyID,
            let payload = try? jws.verified(by: key, allowed: [jws.algorithm], using: verifier),
            let claims = Claims(payload: payload), let issuer = claims.issuer, configuration.tenant.isIssuer(issuer)
        else { return nil }
        return (claims, jws.type)
    }

    /// Nil for what is no access token of this tenant, or is no longer. Says nothing of its revocation.
    func read(_ token: String, configuration: TenantConfiguration, now: Timestamp) -> AccessToken? {
        guard let (claims, type) = signed(token, configuration: configuration) else { return nil }
        var policy = VerificationPolicy()
        policy.types = Self.types
        // The leeway is for another node's clock; the end is exact.
        guard (try? policy.check(claims, type: type, now: now)) != nil, let read = AccessToken(claims),
            now < read.expiresAt
        else { return nil }
        return read
    }

    /// True if this tenant issued the token for that audience and it has not expired. For checks before the
    /// store is asked: says nothing of revocation, nor of the certificate that a token is bound to.
    package func isFresh(_ token: String, for audience: String, configuration: TenantConfiguration, now: Timestamp)
        -> Bool
    {
        read(token, configuration: configuration, now: now)?.claims.audience.contains(audience) ?? false
    }

    /// Whether it is a JWT of this tenant that is no access token, such as an ID token.
    func isOtherKind(_ token: String, configuration: TenantConfiguration) -> Bool {
        signed(token, configuration: configuration).map { AccessToken($0.claims) == nil } ?? false
    }

    /// A token that opens something of this server, and its user; nil for one that a client has for itself.
    /// - Parameter certificate: what came with the connection; a token that is bound to a certificate is good with that
    ///   one alone (RFC 8705 clause 3).
    /// - Throws: `OAuthError` with the code `invalid_token` (RFC 6750 clause 3.1) for a token that is not good now.
    package func accept(
        _ token: String, with certificate: ClientCertificate?, configuration: TenantConfiguration, now: Timestamp
    ) async throws -> (token: AccessToken, user: User?) {
        guard let found = try await active(token, configuration: configuration, now: now) else {
            throw OAuthError(.invalidToken, "The access token is malformed, expired or revoked")
        }
        if let bound = found.token.certificateHash, certificate.map({ hashing.sha256($0.leaf) }) != bound {
            throw OAuthError(
                .invalidToken, "The access token is bound to a certificate that did not come with the connection")
        }
        return found
    }

    /// The token and its user, where it is good now whoever has it: not revoked, and the user there and not blocked. A token that a
    /// client has for itself is good as long as the client exists.
    package func active(
        _ token: String, configuration: TenantConfiguration, now: Timestamp
    ) async throws -> (token: AccessToken, user: User?)? {
        guard let read = read(token, configuration: configuration, now: now), configuration.client(read.client) != nil
        else {
            return nil
        }
        let standing = try await store.standing(
            of: read.authorization, user: read.user, tenant: configuration.tenant.id)
        guard !standing.isRevoked else { return nil }
        if read.user != nil {
            guard let user = standing.user, !user.blocked else { return nil }
            return (read, user)
        }
        return (read, nil)
    }
}
