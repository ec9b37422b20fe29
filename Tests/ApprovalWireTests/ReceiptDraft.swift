import ApprovalWire
import GuardianWire
import JOSE
import OpenSSLCrypto
import Primitives
import TestSupport

/// A valid receipt, each part of which a vector may change before it is signed.
struct ReceiptDraft {
    let keys: VectorKeys
    var record: RequestRecord
    /// The phone's key. Nil for a decision in a browser.
    var phone: (any Signer)?
    /// Certificate that the phone's key names.
    var phoneCertificate: [UInt8]?
    var level: ApprovalEvidence.Level
    var decision = ApprovalEvidence.Decision.allowed
    var reason: String?
    var decidedAt = Self.decided
    /// Nil means the whole second of the decision, and 18 seconds more.
    var issuedAt: Timestamp?
    var audit = ReceiptClaims.AuditPlace(entry: Self.entry, head: Self.head)
    /// Nil for every level but `userVerified`.
    var authenticator: SoftwareAuthenticator?
    /// Changes to the assertion.
    var asserting: (inout PasskeyAssertion) -> Void = { _ in }
    /// Changes to the claims of the answer.
    var answering: (inout ChallengeResponse) -> Void = { _ in }
    /// The answer, made of its payload.
    var answer: (ReceiptDraft, [UInt8]) throws -> String = { draft, payload in
        try compact(#"{"alg":"\#(draft.phoneAlgorithm)","typ":"JWT"}"#, payload, with: draft.phone.found())
    }

    static let opened = Timestamp(seconds: 1_795_168_800)
    static let decided = Timestamp(milliseconds: 1_795_168_842_250)
    static let entry = "4711:" + String(repeating: "5a", count: 32)
    static let head = "4712:" + String(repeating: "c3", count: 32)

    var phoneAlgorithm: String { phone?.algorithm.rawValue ?? "" }

    init(
        _ keys: VectorKeys, _ record: RequestRecord = ReceiptDraft.record(),
        level: ApprovalEvidence.Level = .signedDigest
    ) {
        self.keys = keys
        self.record = record
        self.level = level
        phone = level == .session ? nil : keys.es256.phone
        authenticator = level == .userVerified ? try? keys.authenticator() : nil
    }

    static func record(
        message: String = "Order 4711", name: String = "Ordering agent", details: [JSONObject] = [],
        display: RequestRecord.Display = RequestRecord.Display()
    ) -> RequestRecord {
        RequestRecord(
            id: "cns_4Bf0Yk2mT9qLw7Xa", issuer: "https://id.shop.example/", tenant: "shop",
            client: .init(id: "3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe", name: name), user: "auth0|65f0c1e2",
            audience: .init(id: "https://api.shop.example/", name: "Orders"),
            scope: [.init(value: "openid", description: nil), .init(value: "orders:pay", description: "Pay orders")],
            bindingMessage: message, authorizationDetails: details, display: display, createdAt: opened,
            expiresAt: opened + .seconds(300), salt: "xSE1cm6SC3gzqoJX6xkQeA")
    }

    static let session = ApprovalEvidence.Session(
        digest: "f7-3b1xk0g6m0Vq8c1r0p8t3bGq3H7m5y1nJ4v8bq2A", authenticatedAt: opened - .seconds(600),
        methods: ["pwd", "otp", "mfa"], contextClass: "http://schemas.openid.net/pape/policies/2007/06/multi-factor")

    var digest: RequestDigest { record.digest(OpenSSLHashing()) }

    private var device: ApprovalEvidence.Device? {
        phone.map { phone in
            var publicKey = JWK(material: phone.publicKey.material)
            publicKey.certificate = phoneCertificate
            return ApprovalEvidence.Device(
                id: "dev_D4YdLqbfYlp4Ttx7", name: "Hanna's phone", identifier: "6F0C8D1E",
                publicKey: publicKey, enrolledAt: Self.opened - .seconds(86_400))
        }
    }

    private func answerToken() throws -> String {
        var response = ChallengeResponse(
            deviceIdentifier: "6F0C8D1E", challenge: "Zm9yIHRoZSByZXF1ZXN0",
            audience: "https://id.shop.example/appliance-mfa/api/resolve-transaction",
            issuedAt: Timestamp(seconds: decidedAt.seconds), accepted: decision == .allowed, reason: reason,
            requestDigest: level == .signedDigest || level == .userVerified ? digest.description : nil)
        answering(&response)
        return try answer(self, response.payload)
    }

    private func passkey() throws -> ApprovalEvidence.Passkey? {
        try authenticator.map { authenticator in
            var assertion = try authenticator.assertion(digest.bytes)
            asserting(&assertion)
            return ApprovalEvidence.Passkey(
                relyingParty: "id.shop.example",
                publicKey: JWK(material: authenticator.signer.publicKey.material), assertion: assertion)
        }
    }

    func claims() throws -> ReceiptClaims {
        ReceiptClaims(
            issuedAt: issuedAt ?? Timestamp(seconds: decidedAt.seconds + 18),
            evidence: ApprovalEvidence(
                record: record, decision: decision, reason: reason, decidedAt: decidedAt, level: level,
                answer: try device.map { .init(device: $0, token: try answerToken()) },
                session: level == .session ? Self.session : nil, passkey: try passkey()),
            digest: digest, audit: audit)
    }

    /// The receipt, with changes to its payload.
    func signed(
        by signer: (any Signer)? = nil, changing change: (inout JSONObject) throws -> Void = { _ in }
    ) throws -> String {
        var payload = try JSONReader.parse(try claims().payload).objectValue.found()
        try change(&payload)
        return try sign(JSONWriter.bytes(.object(payload)), by: signer)
    }

    /// The receipt whose payload has another text.
    func signed(replacing old: String, with new: String) throws -> String {
        let text = String(decoding: try claims().payload, as: UTF8.self)
        guard text.contains(old) else { throw NotFound() }
        return try sign(Array(text.replacing(old, with: new, maxReplacements: 1).utf8))
    }

    func sign(_ payload: [UInt8], by signer: (any Signer)? = nil) throws -> String {
        let signer = signer ?? keys.es256.shop
        let kid = try signer.publicKey.keyID.found()
        return try compact(
            #"{"alg":"\#(signer.algorithm.rawValue)","typ":"approval-receipt+jwt","kid":"\#(kid)"}"#, payload,
            with: signer)
    }
}

/// A JWS in compact form with exactly this header.
func compact(_ header: String, _ payload: [UInt8], with signer: any Signer) throws -> String {
    try compact(header, payload) { try signer.sign($0) }
}

func compact(_ header: String, _ payload: [UInt8], sign: ([UInt8]) throws -> [UInt8]) rethrows -> String {
    let input = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(payload)
    return input + "." + Base64URL.encode(try sign(Array(input.utf8)))
}
