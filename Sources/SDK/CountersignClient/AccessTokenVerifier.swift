public import JOSE
import OAuthWire
public import PlatformFoundation
import Primitives

/// Verifies access tokens for an API, without a request to the server for each token. Keys are cached, and fetched
/// again when they rotate.
public final class AccessTokenVerifier: Sendable {
    /// Formats of access tokens. The API's `token_dialect` at the server decides which one it issues.
    public enum Dialect: Sendable, CaseIterable {
        /// RFC 9068 (`rfc9068_profile`): `typ` is `at+jwt`, and `client_id` and `jti` are present.
        case rfc9068
        /// Auth0's format (`access_token`): `typ` is `JWT`, as for ID tokens, and `azp` is the client. If the API's
        /// identifier
        /// is also that client's id, the token is refused, because an ID token of the client may look the same.
        case auth0
    }

    private let provider: Provider
    private let audience: String
    private let dialects: Set<Dialect>
    private let algorithms: Set<JWSAlgorithm>

    /// - Parameters:
    ///   - issuer: The authorization server's issuer URL.
    ///   - audience: The API's identifier.
    ///   - dialects: Accepted formats of access tokens.
    ///   - algorithms: Accepted signature algorithms.
    ///   - environment: Nil means the system's.
    public init(
        issuer: URL, audience: String, dialects: Set<Dialect> = [.rfc9068],
        algorithms: Set<JWSAlgorithm> = CountersignClient.standardAlgorithms,
        environment: CountersignClient.Environment? = nil
    ) throws(CountersignError) {
        let environment = if let environment { environment } else { try CountersignClient.Environment.system() }
        provider = try Provider(issuer: issuer, environment: environment)
        self.audience = audience
        self.dialects = dialects
        self.algorithms = algorithms
    }

    /// Verifies a token and returns its claims.
    ///
    /// - Parameters:
    ///   - token: The JWT that the caller presented.
    ///   - scopes: The scopes that the call needs.
    ///   - permissions: The permissions that the call needs.
    ///   - proofs: Keys that the caller proved to hold. A token bound to a certificate or DPoP key is refused unless
    ///     that key is among them.
    /// - Throws: `tokenInvalid` if the token is for another API, not in force, not signed by the issuer, bound to a key
    ///   that the caller did not prove, or lacks a scope or permission.
    public func verify(
        _ token: String, scopes: [String] = [], permissions: [String] = [], proofs: [ProofOfPossession] = []
    ) async throws(CountersignError) -> AccessToken {
        let issuer = try await provider.metadata().issuer
        let verified = try await provider.verified(token, algorithms: algorithms)
        do throws(TokenProblem) {
            let token = try check(verified, issuer: issuer)
            try ProofOfPossession.check(proofs, against: token.claims, hashing: provider.environment.hashing)
            let missing = scopes.filter { !token.scope.contains($0) }
            guard missing.isEmpty else { throw .insufficientScope(missing: missing) }
            let lacking = permissions.filter { !token.permissions.contains($0) }
            guard lacking.isEmpty else { throw .insufficientPermissions(missing: lacking) }
            return token
        } catch {
            throw .tokenInvalid(error)
        }
    }

    private func check(_ token: VerifiedToken, issuer: String) throws(TokenProblem) -> AccessToken {
        let dialect = try dialect(token.type)
        let claims = token.claims
        var policy = VerificationPolicy()
        policy.issuers = [issuer]
        policy.audiences = [audience]
        do throws(VerificationPolicy.Failure) {
            try policy.check(claims, type: token.type, now: provider.environment.clock.now)
        } catch {
            throw TokenProblem(error)
        }
        guard let subject = claims.subject, !subject.isEmpty else { throw .missing("sub") }
        guard let expires = claims.expires else { throw .missing("exp") }
        let client = try client(of: claims, dialect)
        return AccessToken(
            claims: claims, subject: subject, clientID: client,
            scope: claims["scope"]?.stringValue?.split(separator: " ").map(String.init) ?? [],
            permissions: claims["permissions"]?.stringsValue ?? [],
            authorizationDetails: claims["authorization_details"]?.arrayValue ?? [], expiresAt: expires.date)
    }

    private func client(of claims: Claims, _ dialect: Dialect) throws(TokenProblem) -> String {
        switch dialect {
        case .rfc9068:
            // RFC 9068 clause 2.2.
            guard let client = claims["client_id"]?.stringValue else { throw .missing("client_id") }
            guard claims.identifier != nil else { throw .missing("jti") }
            return client
        case .auth0:
            // The audience of an ID token contains its client, which is also its `azp` if present (OIDC Core 2). An
            // access token always names its client in `azp` and has another audience.
            for name in ["nonce", "at_hash", "c_hash"] where claims[name] != nil { throw .idToken }
            guard let client = claims["azp"]?.stringValue else { throw .missing("azp") }
            guard !claims.audience.contains(client) else { throw .idToken }
            return client
        }
    }

    private func dialect(_ type: String?) throws(TokenProblem) -> Dialect {
        let dialect: Dialect? =
            switch type?.lowercased() {
            case "at+jwt", "application/at+jwt": .rfc9068
            case "jwt": .auth0
            default: nil
            }
        guard let dialect, dialects.contains(dialect) else { throw .type(type) }
        return dialect
    }
}
