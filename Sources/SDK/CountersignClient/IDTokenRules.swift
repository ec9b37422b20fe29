import JOSE
import Primitives

/// Rules for an ID token that came directly from the token endpoint (OIDC Core 3.1.3.7).
struct IDTokenRules {
    var issuer: String
    var clientID: String
    /// The user that was asked. Nil accepts any.
    var subject: String?
    /// The nonce that was sent. Nil means that none was sent.
    var nonce: String?
    /// The access token from the same response.
    var accessToken: String?
    /// Maximum time since authentication. Nil means that `max_age` was not sent.
    var maximumAge: Duration?
    /// The ID token of the session that was refreshed.
    var previous: IDToken?

    func check(
        _ token: VerifiedToken, hashing: some Hashing, now: Timestamp
    ) throws(TokenProblem) -> (claims: Claims, subject: String) {
        let claims = token.claims
        // Access tokens (`at+jwt`) and other kinds must not pass as ID tokens (RFC 8725 clause 3.11).
        if let type = token.type, type.lowercased() != "jwt" { throw .type(type) }
        var policy = VerificationPolicy()
        policy.issuers = [issuer]
        policy.audiences = [clientID]
        do throws(VerificationPolicy.Failure) {
            try policy.check(claims, type: token.type, now: now)
        } catch {
            throw TokenProblem(error)
        }
        let party = claims["azp"]
        if let party, party.stringValue != clientID { throw .authorizedParty }
        if claims.audience.count > 1, party == nil { throw .authorizedParty }
        guard let subject = claims.subject, !subject.isEmpty else { throw .missing("sub") }
        if let expected = self.subject, subject != expected { throw .subject }
        if let nonce, claims["nonce"]?.stringValue != nonce { throw .nonce }
        if let accessToken, let hash = claims["at_hash"] {
            let digest = hashing.hash(token.algorithm.hash, Array(accessToken.utf8))
            guard hash.stringValue == Base64URL.encode(Array(digest.prefix(digest.count / 2))) else {
                throw .accessTokenHash
            }
        }
        if let maximumAge {
            let earliest = now - maximumAge - policy.leeway
            guard let time = claims.date("auth_time"), time >= earliest else { throw .authenticationTime }
        }
        if let previous { try compare(claims, with: previous) }
        return (claims, subject)
    }

    /// Compares a refreshed token's authentication with the first one's (OIDC Core 12.2).
    private func compare(_ claims: Claims, with previous: IDToken) throws(TokenProblem) {
        guard claims.subject == previous.subject else { throw .subject }
        if let nonce = claims["nonce"], nonce != previous.claims["nonce"] { throw .nonce }
        if let time = claims.date("auth_time"), let first = previous.claims.date("auth_time"), time != first {
            throw .authenticationTime
        }
    }
}
