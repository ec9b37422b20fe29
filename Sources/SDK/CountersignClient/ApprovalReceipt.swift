import ApprovalWire
public import JOSE
public import PlatformFoundation
public import Primitives

/// A verified proof of a decision: a statement of the server about exactly this request and answer, which anybody can
/// verify later by the server's published keys. It proves only ``proven``.
public struct ApprovalReceipt: Sendable {
    /// The person's answer.
    public enum Decision: String, Sendable, CaseIterable { case allowed, rejected }

    /// Strength of the proof, from the strongest.
    public enum Level: String, Sendable, CaseIterable {
        /// The device's key signed the digest of ``record``, and so did ``passkey`` after its authenticator verified its
        /// user.
        case userVerified = "user-verified"
        /// The device's key signed the digest of ``record``.
        case signedDigest = "signed-digest"
        /// The device's key signed a challenge, which belongs to the request if the server's operator is honest.
        case signedChallenge = "signed-challenge"
        /// The person decided in a browser. Only the server says so.
        case session
    }

    /// A client or an API.
    public struct Party: Sendable, Equatable {
        public let id: String
        public let name: String
    }

    /// A right that was asked for.
    public struct Scope: Sendable, Equatable {
        public let value: String
        /// Text that the person was shown. Nil means that the API describes no such scope.
        public let description: String?
    }

    /// The device that decided, as it was then.
    public struct Device: Sendable, Equatable {
        public let id: String
        public let name: String
        /// Key that verifies ``answer``.
        public let publicKey: JWK
        public let enrolledAt: Date
        /// The JWT that the device signed.
        public let answer: String
    }

    /// The browser's session in which the person decided, as the server states it.
    public struct Session: Sendable, Equatable {
        /// SHA-256 of the session's id in base64url. Equal for decisions in one session.
        public let digest: String
        /// Time of the login.
        public let authenticatedAt: Date
        /// Methods of the login (`amr`, RFC 8176), such as `pwd` and `mfa`.
        public let methods: [String]
        /// `acr` of the login. Nil means none.
        public let contextClass: String?
    }

    /// The device's passkey that verified its user (WebAuthn).
    public struct Passkey: Sendable, Equatable {
        /// Host to which the passkey is bound.
        public let host: String
        public let publicKey: JWK
    }

    /// Places in the server's audit log: a number, `:` and a hash; if the log has several lanes, after the lane's number and
    /// a full stop. `countersign log verify --expect` takes them.
    public struct AuditPlaces: Sendable, Equatable {
        /// The decision's entry.
        public let entry: String
        /// The last entry of the same lane when the receipt was made.
        public let head: String
    }

    /// The JWS, for storage and for others who verify it.
    public let encoded: String
    /// Id of the request, `cns_…`.
    public let id: String
    /// The server, with the slash at its end.
    public let issuer: String
    /// Id of the server's tenant.
    public let tenant: String
    /// The client that asked.
    public let client: Party
    /// `sub` of the user who was asked.
    public let user: String
    /// The API that the access token is for.
    public let audience: Party
    public let scopes: [Scope]
    /// Text of the client that the phone showed.
    public let bindingMessage: String
    /// Authorization details (RFC 9396). `filter(byType:)` decodes them.
    public let authorizationDetails: [JSONValue]
    /// Beginning of the time to answer.
    public let createdAt: Date
    /// End of the time to answer.
    public let expiresAt: Date
    /// Everything that the person was asked, as one JSON text. Its UTF-8 has the SHA-256 ``digest``.
    public let record: String
    /// SHA-256 of ``record``, in base64url.
    public let digest: String
    public let decision: Decision
    /// The user's own words for a rejection: treat them as untrusted.
    public let reason: String?
    public let decidedAt: Date
    /// Time at which the server made this receipt.
    public let issuedAt: Date
    public let level: Level
    /// Nil for a decision in a browser.
    public let device: Device?
    /// Nil for a decision on a device.
    public let session: Session?
    /// Nil for every level but ``Level/userVerified``.
    public let passkey: Passkey?
    public let auditPlaces: AuditPlaces
    /// Facts that this receipt proves, as sentences in English.
    public let proven: [String]
    /// Facts that it does not prove, as sentences in English.
    public let notProven: [String]

    /// Verifies a receipt without a connection, with the system's cryptography.
    ///
    /// - Parameters:
    ///   - text: The JWS.
    ///   - keys: The issuer's JWK set (RFC 7517), from a source that you trust.
    ///   - issuer: The issuer that must have made it, spelt as in the receipt, with the slash at its end.
    /// - Throws: `receiptInvalid` if a rule is broken, and `invalidRequest` if `keys` is no JWK set.
    public init(verifying text: String, keys: Data, issuer: URL) throws(CountersignError) {
        guard let value = try? JSONReader.parse(Array(keys)), let keys = try? JWKSet(value) else {
            throw .invalidRequest("the keys are no JWK set")
        }
        let verifier = ReceiptVerifier(
            keys: keys, issuer: issuer.absoluteString, verifier: systemCryptography.verifier,
            hashing: systemCryptography.hashing)
        let receipt: VerifiedReceipt
        do { receipt = try verifier.verify(text) } catch { throw CountersignError(error) }
        self.init(receipt)
    }

    init(_ receipt: VerifiedReceipt) {
        let (claims, evidence) = (receipt.claims, receipt.claims.evidence)
        let request = evidence.record
        encoded = receipt.text
        id = request.id
        issuer = request.issuer
        tenant = request.tenant
        client = Party(id: request.client.id, name: request.client.name)
        user = request.user
        audience = Party(id: request.audience.id, name: request.audience.name)
        scopes = request.scope.map { Scope(value: $0.value, description: $0.description) }
        bindingMessage = request.bindingMessage
        authorizationDetails = request.authorizationDetails.map(JSONValue.object)
        createdAt = request.createdAt.date
        expiresAt = request.expiresAt.date
        record = request.text
        digest = claims.digest.description
        decision =
            switch evidence.decision {
            case .allowed: .allowed
            case .rejected: .rejected
            }
        reason = evidence.reason
        decidedAt = evidence.decidedAt.date
        issuedAt = claims.issuedAt.date
        level =
            switch evidence.level {
            case .userVerified: .userVerified
            case .signedDigest: .signedDigest
            case .signedChallenge: .signedChallenge
            case .session: .session
            }
        device = evidence.answer.map { answer in
            Device(
                id: answer.device.id, name: answer.device.name, publicKey: answer.device.publicKey,
                enrolledAt: answer.device.enrolledAt.date, answer: answer.token)
        }
        session = evidence.session.map { session in
            Session(
                digest: session.digest, authenticatedAt: session.authenticatedAt.date, methods: session.methods,
                contextClass: session.contextClass)
        }
        passkey = evidence.passkey.map { Passkey(host: $0.relyingParty, publicKey: $0.publicKey) }
        auditPlaces = AuditPlaces(entry: claims.audit.entry, head: claims.audit.head)
        proven = receipt.proven
        notProven = receipt.notProven
    }
}

extension CountersignError {
    init(_ failure: ReceiptFailure) { self = .receiptInvalid(rule: failure.rule.rawValue, failure.description) }
}
