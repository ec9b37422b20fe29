import JOSE
import Primitives

/// The rules of OIDC Core 3.1.3.7 for an ID token that came straight from the token endpoint.
struct IDTokenRules {
    var issuer: String
    var clientID: String
    /// The user that was asked; another one's approval is none.
    var subject: String?
    /// The nonce that was sent; nil where none was.
    var nonce: String?
    /// The access token that came with it.
    var accessToken: String?
    /// How long ago the person may have authenticated; nil where `max_age` was not sent.
    var maximumAge: Duration?
    /// The token that this one was refreshed from.
    var previous: IDToken?

    func check(
        _ token: VerifiedToken, hashing: some Hashing, now: Timestamp
    ) throws(TokenProblem) -> (claims: Claims, subject: String) {
        let claims = token.claims
        // An access token (`at+jwt`) or another kind must not pass for an ID token (RFC 8725 clause 3.11).
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

    /// OIDC Core 12.2: a refreshed token tells of the same authentication as the first.
    private func compare(_ claims: Claims, with previous: IDToken) throws(TokenProblem) {
        guard claims.subject == previous.subject else { throw .subject }
        if let nonce = claims["nonce"], nonce != previous.claims["nonce"] { throw .nonce }
        if let time = claims.date("auth_time"), let first = previous.claims.date("auth_time"), time != first {
            throw .authenticationTime
        }
    }
}
