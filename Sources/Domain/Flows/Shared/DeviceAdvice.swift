import JOSE
import Primitives

/// Advice to a device about a wrong signature or claim, for example a wrong clock. Only a sender whose signature proves
/// that it is the device gets it.
enum DeviceAdvice {
    /// Advice about a failed signature. Reveals at most the kind of the enrolled key.
    static func text(for failure: JWS.Failure) -> String? {
        guard case .algorithm = failure else { return nil }
        return "alg must be RS256 or ES256, whichever the enrolled key is for"
    }

    static func text(
        for failure: VerificationPolicy.Failure, of claims: Claims, policy: VerificationPolicy, now: Timestamp
    ) -> String {
        switch failure {
        case .type: "typ must be \(policy.types?.sorted().joined(separator: " or ") ?? "another")"
        case .issuer: "iss must be the device's identifier, as it enrolled or changed it, and not the enrolment's id"
        case .subject: "sub must be the user_id of the enrolment"
        case .audience: "aud must be the URL of this request"
        case .missing(let name): "\(name) is required"
        case .malformed(let name): "\(name) must be a NumericDate"
        case .expired: clock("exp", claims.expires, now: now)
        case .notYetValid: clock("nbf", claims.notBefore, now: now)
        case .issuedInTheFuture, .tooOld: clock("iat", claims.issuedAt, now: now)
        case .lifetime: "exp must be at most \(policy.maximumLifetime?.components.seconds ?? 0) s after iat"
        }
    }

    static func clock(_ name: String, _ date: Timestamp?, now: Timestamp) -> String {
        let seconds = (date ?? now).seconds - now.seconds
        let direction = seconds < 0 ? "behind" : "ahead of"
        return "\(name) is \(seconds.magnitude) s \(direction) this server's clock; set the device's clock"
    }
}
