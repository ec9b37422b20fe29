import JOSE
import Primitives

/// The rules of OIDC Core 3.1.3.7 for an ID token that came from a provider's token endpoint.
struct UpstreamIDToken: Sendable {
    /// Longest time since `iat`, for clocks that differ.
    private static let maximumAge = Duration.seconds(600)

    let provider: DiscoveredProvider
    let clientID: String
    let nonce: String
    let accessToken: String
    /// Earliest accepted `auth_time`. Nil accepts any.
    let provenSince: Timestamp?
    let needsTime: Bool

    /// Parses the token, whose signature is not verified yet. Accepts only algorithms that the provider announces, and
    /// never `none` or symmetric ones.
    func parse(_ text: String) throws(UpstreamFailure) -> JWS {
        let token: JWS
        do throws(JWS.Failure) { token = try JWS(parsing: text) } catch { throw .violation(.idToken(error)) }
        guard provider.algorithms.contains(token.algorithm) else {
            throw .violation(.idToken(.algorithm(token.algorithm.rawValue)))
        }
        // An access token (`at+jwt`) or another kind must not pass for an ID token (RFC 8725 clause 3.11).
        if let type = token.type, type.lowercased() != "jwt" { throw .violation(.claims(.type(type))) }
        return token
    }

    func claims(
        of token: JWS, key: JWK, verifier: some Verifier, hashing: some Hashing, now: Timestamp
    ) throws(UpstreamFailure) -> (members: JSONObject, authenticatedAt: Timestamp?) {
        let payload: [UInt8]
        do throws(JWS.Failure) {
            payload = try token.verified(by: key, allowed: provider.algorithms, using: verifier)
        } catch { throw .violation(.idToken(error)) }
        guard let claims = Claims(payload: payload) else { throw .violation(.idToken(.malformed)) }
        var policy = VerificationPolicy()
        policy.issuers = [provider.issuer]
        policy.audiences = [clientID]
        policy.maximumAge = Self.maximumAge
        do throws(VerificationPolicy.Failure) {
            try policy.check(claims, type: token.type, now: now)
        } catch { throw .violation(.claims(error)) }
        // No other audience is trusted here, so the token must name this client alone.
        guard claims.audience == [clientID], claims["azp"] == nil || claims["azp"]?.stringValue == clientID else {
            throw .violation(.authorizedParty)
        }
        let presented = Array((claims["nonce"]?.stringValue ?? "").utf8)
        guard constantTimeEquals(presented, Array(nonce.utf8)) else { throw .violation(.nonce) }
        if let hash = claims["at_hash"] {
            let digest = hashing.hash(token.algorithm.hash, Array(accessToken.utf8))
            guard hash.stringValue == Base64URL.encode(Array(digest.prefix(digest.count / 2))) else {
                throw .violation(.accessTokenHash)
            }
        }
        return (claims.members, try authenticationTime(claims, leeway: policy.leeway, now: now))
    }

    /// OIDC Core 3.1.3.7, rule 13. Nil if the provider does not tell `auth_time`, and need not.
    private func authenticationTime(
        _ claims: Claims, leeway: Duration, now: Timestamp
    ) throws(UpstreamFailure) -> Timestamp? {
        guard claims["auth_time"] != nil else {
            guard !needsTime else { throw .notRecent }
            return nil
        }
        guard let time = claims.date("auth_time"), time <= now + leeway else { throw .violation(.authenticationTime) }
        if let provenSince, time + leeway < provenSince { throw .notRecent }
        return min(time, now)
    }
}
