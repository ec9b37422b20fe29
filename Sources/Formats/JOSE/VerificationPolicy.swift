package import Primitives

/// Requirements for a token's claims. The caller states every expectation; nothing is accepted by default.
package struct VerificationPolicy: Sendable {
    package enum Failure: Error, Sendable, Equatable {
        case type(String?)
        case issuer
        case subject
        case audience
        /// A required `exp` or `iat` is missing.
        case missing(String)
        /// `exp`, `iat` or `nbf` is no NumericDate (RFC 7519 clause 2).
        case malformed(String)
        case expired
        case notYetValid
        case issuedInTheFuture
        case tooOld
        case lifetime
    }

    /// Accepted values of the `typ` header, compared without case. Nil accepts any.
    package var types: Set<String>?
    package var issuers: Set<String>?
    package var subject: String?
    /// Values of which `aud` must have one.
    package var audiences: Set<String>?
    /// Tolerated difference of two clocks.
    package var leeway: Duration = .seconds(60)
    package var requiresExpiry = true
    package var requiresIssuedAt = true
    /// Maximum `exp` − `iat`. Nil allows any.
    package var maximumLifetime: Duration?
    /// Maximum age of `iat`. Nil allows any.
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
        // An unreadable limit must not be ignored.
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
