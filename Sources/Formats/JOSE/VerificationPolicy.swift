package import Primitives

/// Requirements for a token's claims. The caller states every expectation; nothing is accepted by default.
package struct VerificationPolicy: Sendable {
    package enum Failure: Error, Sendable, Equatable {
        case type(String?)
        case issuer
        case subject
        case audience
        /// `exp` or `iat` is needed and missing.
        case missing(String)
        /// `exp`, `iat` or `nbf` is there and no NumericDate (RFC 7519 clause 2).
        case malformed(String)
        case expired
        case notYetValid
        case issuedInTheFuture
        case tooOld
        case lifetime
    }

    /// Accepted values of the `typ` header, compared without case; nil accepts any.
    package var types: Set<String>?
    package var issuers: Set<String>?
    package var subject: String?
    /// One of these must be in `aud`.
    package var audiences: Set<String>?
    /// How far two clocks may be apart.
    package var leeway: Duration = .seconds(60)
    package var requiresExpiry = true
    package var requiresIssuedAt = true
    /// The longest `exp` − `iat`; nil allows any.
    package var maximumLifetime: Duration?
    /// How long ago `iat` may be; nil allows any.
    package var maximumAge: Duration?

    package init() {}

    package func check(_ claims: Claims, type: String?, now: Timestamp) throws(Failure) {
        if let types, !types.contains(where: { $0.lowercased() == type?.lowercased() }) { throw .type(type) }
        if let issuers, !issuers.contains(claims.issuer ?? "") { throw .issuer }
        if let subject, claims.subject != subject { throw .subject }
        if let audiences, audiences.isDisjoint(with: claims.audience) { throw .audience }
        try checkTimes(claims, now: now)
    }

    private func checkTimes(_ claims: Claims, now: Timestamp) throws(Failure) {
        // A limit that cannot be read is not one to pass over.
        for name in ["exp", "iat", "nbf"] where claims[name] != nil && claims.date(name) == nil {
            throw .malformed(name)
        }
        let expires = claims.expires
        let issued = claims.issuedAt
        if requiresExpiry, expires == nil { throw .missing("exp") }
        if requiresIssuedAt, issued == nil { throw .missing("iat") }
        if let expires, now >= expires + leeway { throw .expired }
        if let start = claims.notBefore, start > now + leeway { throw .notYetValid }
        if let issued, issued > now + leeway { throw .issuedInTheFuture }
        if let maximumAge, let issued, issued + maximumAge + leeway < now { throw .tooOld }
        if let maximumLifetime, let expires, let issued, expires - issued > maximumLifetime { throw .lifetime }
    }
}
