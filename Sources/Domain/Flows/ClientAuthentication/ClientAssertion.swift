import AuthorizationCore
import JOSE
import OAuthWire
import Primitives

/// A JWT by which a client proves itself (RFC 7523 clauses 2.2 and 3, OIDC Core 9), read but not yet believed.
struct ClientAssertion: Sendable {
    enum Failure: Error, Sendable {
        case malformed
        /// `iss`, `sub` or `jti` is missing or longer than 64 bytes.
        case member(String)
        /// `iss`, `sub` and, where it is there, the parameter `client_id` name different clients.
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
    /// How far two clocks may be apart.
    static let leeway = Duration.seconds(10)
    /// RFC 7523 asks for none; what is explicitly something else must not be taken for an assertion (RFC 8725 clause
    /// 3.11).
    private static let types: Set<String> = ["jwt", "client-authentication+jwt"]

    let jws: JWS
    /// As it names itself.
    let client: ClientID

    /// Finds out whose it claims to be.
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

    /// What the signature was found to vouch for.
    struct Verified: Sendable {
        let identifier: String
        /// When the assertion is worth nothing any more.
        let end: Timestamp
    }

    /// Checks what `payload`, whose signature was verified, says of time and place.
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
    var text: LocalizedText {
        switch self {
        case .malformed:
            LocalizedText(
                en:
                    "the assertion is no JWT of at most \(ClientAssertion.sizeLimit) bytes with an algorithm known here",
                fr:
                    "l'assertion n'est pas un JWT d'au plus \(ClientAssertion.sizeLimit) octets d'un algorithme connu ici"
            )
        case .member(let name):
            LocalizedText(
                en: "\(name) of the assertion must be a text of 1 to \(Client.assertionNameLimit) bytes",
                fr: "\(name) de l'assertion doit être un texte de 1 à \(Client.assertionNameLimit) octets")
        case .differentClients:
            LocalizedText(
                en: "iss and sub of the assertion must both be the client_id",
                fr: "iss et sub de l'assertion doivent être tous deux le client_id")
        case .type:
            LocalizedText(
                en: "typ of the assertion must be JWT or client-authentication+jwt",
                fr: "typ de l'assertion doit être JWT ou client-authentication+jwt")
        case .claims(.expired): LocalizedText(en: "the assertion has expired", fr: "l'assertion a expiré")
        case .claims(.notYetValid), .claims(.issuedInTheFuture):
            LocalizedText(
                en: "the assertion is not valid yet; check the clock",
                fr: "l'assertion n'est pas encore valable ; vérifiez l'horloge")
        case .claims:
            LocalizedText(
                en: "exp of the assertion is required, and exp, nbf and iat must be numbers of seconds",
                fr: "exp de l'assertion est obligatoire, et exp, nbf et iat doivent être des nombres de secondes")
        case .lifetime:
            LocalizedText(
                en: "exp of the assertion may be at most 5 minutes ahead",
                fr: "exp de l'assertion peut être dans 5 minutes au plus")
        case .audience:
            LocalizedText(
                en: "aud of the assertion must be the issuer or the URL of this endpoint",
                fr: "aud de l'assertion doit être l'émetteur ou l'URL de cette adresse")
        }
    }
}
