import JOSE
import Primitives

/// What a device has to change in what it signed. Told only to one whose signature proved to be the device: a phone
/// whose clock is wrong cannot find that out by itself.
enum DeviceAdvice {
    /// A signature's failure: of the enrolled key that tells at most of which kind it is.
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
