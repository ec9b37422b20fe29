public import Foundation
public import JOSE
import OAuthWire
import Primitives

/// Verifies access tokens for a resource server, without asking the server for each: keys are fetched once and again
/// when they rotate.
public final class AccessTokenVerifier: Sendable {
    /// The forms that access tokens come in.
    public enum Dialect: Sendable, CaseIterable {
        /// RFC 9068: `typ` is `at+jwt`; `client_id` and `jti` are there.
        case rfc9068
        /// Auth0's own: `typ` is `JWT`; the client is in `azp`.
        case auth0
    }

    private let provider: Provider
    private let audience: String
    private let dialects: Set<Dialect>
    private let algorithms: Set<JWSAlgorithm>

    /// `audience` is the API's own identifier. `environment` nil takes the system's.
    public init(
        issuer: URL, audience: String, dialects: Set<Dialect> = Set(Dialect.allCases),
        algorithms: Set<JWSAlgorithm> = CountersignClient.standardAlgorithms,
        environment: CountersignClient.Environment? = nil
    ) throws(CountersignError) {
        let environment = if let environment { environment } else { try CountersignClient.Environment.system() }
        provider = try Provider(issuer: issuer, environment: environment)
        self.audience = audience
        self.dialects = dialects
        self.algorithms = algorithms
    }

    /// What the token grants. Throws `tokenInvalid` where it is not for this API, not in force, not signed by the
    /// issuer, or lacks one of the scopes or permissions needed.
    public func verify(
        _ token: String, scopes: [String] = [], permissions: [String] = []
    ) async throws(CountersignError) -> AccessToken {
        let issuer = try await provider.metadata().issuer
        let verified = try await provider.verified(token, algorithms: algorithms)
        do throws(TokenProblem) {
            let token = try check(verified, issuer: issuer)
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
        let client = claims["client_id"]?.stringValue
        if dialect == .rfc9068 {
            // RFC 9068 clause 2.2.
            guard client != nil else { throw .missing("client_id") }
            guard claims.identifier != nil else { throw .missing("jti") }
        }
        return AccessToken(
            claims: claims, subject: subject, clientID: client ?? claims["azp"]?.stringValue,
            scope: claims["scope"]?.stringValue?.split(separator: " ").map(String.init) ?? [],
            permissions: claims["permissions"]?.stringsValue ?? [],
            authorizationDetails: claims["authorization_details"]?.arrayValue ?? [], expiresAt: expires.date)
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
