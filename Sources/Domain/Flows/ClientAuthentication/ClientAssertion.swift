import AuthorizationCore
import JOSE
import OAuthWire
import Primitives

/// A JWT by which a client authenticates (RFC 7523 clauses 2.2 and 3, OIDC Core 9), read but not yet verified.
struct ClientAssertion: Sendable {
    enum Failure: Error, Sendable {
        case malformed
        /// `iss`, `sub` or `jti` is missing or longer than 64 bytes.
        case member(String)
        /// `iss`, `sub` and the optional parameter `client_id` name different clients.
        case differentClients
        case type
        case claims(VerificationPolicy.Failure)
        /// Expires later than five minutes from now.
        case lifetime
        case audience
    }

    /// Bytes of a whole assertion (the limit of Auth0).
    static let sizeLimit = 2048
    static let lifetime = Duration.seconds(300)
    /// Maximum difference of two clocks.
    static let leeway = Duration.seconds(10)
    /// Accepted values of `typ`. RFC 7523 requires none; a JWT of another type must not count as an assertion (RFC 8725
    /// clause 3.11).
    private static let types: Set<String> = ["jwt", "client-authentication+jwt"]

    let jws: JWS
    /// Client that the assertion names.
    let client: ClientID

    /// Reads the named client.
    init(parsing text: String, clientID: String?) throws(Failure) {
        guard let jws = try? JWS(parsing: text, limit: Self.sizeLimit), let claims = jws.unverifiedClaims else {
            throw .malformed
        }
        func name(_ member: String) throws(Failure) -> String {
            guard let text = claims[member]?.stringValue, (1...Client.assertionNameLimit).contains(text.utf8.count)
            else {
                throw .member(member)
            }
            return text
        }
        if let type = jws.type, !Self.types.contains(type.lowercased()) { throw .type }
        let subject = try name("sub")
        guard try name("iss") == subject, clientID == nil || clientID == subject else { throw .differentClients }
        _ = try name("jti")
        self.jws = jws
        client = ClientID(subject)
    }

    /// Claims of an assertion whose signature was verified.
    struct Verified: Sendable {
        let identifier: String
        /// End of the assertion's validity.
        let end: Timestamp
    }

    /// Checks times and audience of `payload`, whose signature was verified.
    func check(_ payload: [UInt8], isAudience: (String) -> Bool, now: Timestamp) throws(Failure) -> Verified {
        guard let claims = Claims(payload: payload), let identifier = claims.identifier else { throw .malformed }
        var policy = VerificationPolicy()
        policy.leeway = Self.leeway
        policy.requiresIssuedAt = false
        do {
            try policy.check(claims, type: nil, now: now)
        } catch {
            throw .claims(error)
        }
        guard let expires = claims.expires, expires <= now + Self.lifetime + Self.leeway else { throw .lifetime }
        guard claims.audience.contains(where: isAudience) else { throw .audience }
        return Verified(identifier: identifier, end: expires + Self.leeway)
    }
}

extension ClientAssertion.Failure {
    /// Completes "Client authentication failed: …".
    var text: ErrorDescription {
        switch self {
        case .malformed:
            "the assertion is no JWT of at most \(ClientAssertion.sizeLimit) bytes with an algorithm known here"
        case .member(let name): "\(name) of the assertion must be a text of 1 to \(Client.assertionNameLimit) bytes"
        case .differentClients: "iss and sub of the assertion must both be the client_id"
        case .type: "typ of the assertion must be JWT or client-authentication+jwt"
        case .claims(.expired): "the assertion has expired"
        case .claims(.notYetValid), .claims(.issuedInTheFuture): "the assertion is not valid yet; check the clock"
        case .claims: "exp of the assertion is required, and exp, nbf and iat must be numbers of seconds"
        case .lifetime: "exp of the assertion may be at most 5 minutes ahead"
        case .audience: "aud of the assertion must be the issuer or the URL of this endpoint"
        }
    }
}
