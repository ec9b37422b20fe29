import ApprovalWire
import GuardianWire
import JOSE
import OpenSSLCrypto
import Primitives

/// Receipts for every implementation of docs/receipts.md, in docs/receipts/vectors.json.
struct ReceiptVector {
    let name: String
    /// The broken rule. Nil for a valid receipt.
    let rule: ReceiptFailure.Rule?
    /// The expected issuer.
    let issuer: String
    let receipt: String
}

struct ReceiptVectors {
    static let issuer = "https://id.shop.example/"

    let keys: VectorKeys
    private(set) var all: [ReceiptVector] = []

    /// The JWK set of the vectors' issuer.
    let published: JSONValue

    init() throws {
        keys = try VectorKeys()
        let shop = keys.es256.shop.publicKey
        published = [
            "keys": .array(
                keys.published.keys.map(\.json)
                    + (try Self.certifiedKeys(keys)).map { id, chain, _ in
                        var key = shop
                        key.keyID = id
                        var json = key.json.objectValue ?? [:]
                        json["x5c"] = chain
                        return .object(json)
                    })
        ]
        try addValid()
        try addEncodings()
        try addPayloads()
        try addDecisions()
        try addAnswers()
        try addPasskeys()
        try addCertificates()
    }

    mutating func add(
        _ name: String, _ rule: ReceiptFailure.Rule?, issuer: String = Self.issuer, _ receipt: String
    ) {
        all.append(ReceiptVector(name: name, rule: rule, issuer: issuer, receipt: receipt))
    }

    func draft(_ level: ApprovalEvidence.Level = .signedDigest) -> ReceiptDraft { ReceiptDraft(keys, level: level) }

    /// The file, with a vector a line.
    var document: String {
        let vectors = all.map { vector in
            JSONWriter.string([
                "name": .string(vector.name), "rule": vector.rule.map { JSONValue.string($0.rawValue) } ?? .null,
                "issuer": .string(vector.issuer), "receipt": .string(vector.receipt),
            ])
        }
        return """
            {
            "jwks":\(JSONWriter.string(published)),
            "vectors":[
            \(vectors.joined(separator: ",\n"))
            ]
            }

            """
    }

    // MARK: Valid receipts

    private mutating func addValid() throws {
        add("valid-signed-digest-es256", nil, try draft().signed())
        var byRSA = draft()
        byRSA.phone = keys.phoneRS256
        add("valid-signed-digest-rs256", nil, try byRSA.signed(by: keys.shopRS256))
        add("valid-ps256", nil, try draft(.session).signed(by: keys.shopPS256))
        add("valid-eddsa", nil, try draft(.session).signed(by: keys.shopEdDSA))
        add("valid-signed-challenge", nil, try draft(.signedChallenge).signed())
        add("valid-user-verified-es256", nil, try draft(.userVerified).signed())
        var byRSAPasskey = draft(.userVerified)
        byRSAPasskey.authenticator = try keys.authenticator(.rs256)
        add("valid-user-verified-rs256", nil, try byRSAPasskey.signed())
        add("valid-session", nil, try draft(.session).signed())
        try addValidDecisions()
        try addValidTexts()
    }

    private mutating func addValidDecisions() throws {
        var rejected = draft()
        rejected.decision = .rejected
        add("valid-rejected", nil, try rejected.signed())
        rejected.reason = "I did not order anything"
        add("valid-rejected-with-reason", nil, try rejected.signed())
        var long = rejected
        long.reason = String(repeating: "e\u{301}", count: 128)
        long.answering = { $0.reason = ($0.reason ?? "") + "\u{301} and more" }
        add("valid-reason-of-which-256-scalars-are-kept", nil, try long.signed())
        var blank = draft()
        blank.decision = .rejected
        blank.answering = { $0.reason = " \u{2003}\u{3000}\n" }
        add("valid-blank-reason-is-not-kept", nil, try blank.signed())
        var praised = draft()
        praised.answering = { $0.reason = "fine" }
        add("valid-reason-of-an-approval-is-not-kept", nil, try praised.signed())
        add("valid-rejected-because-of-the-number", nil, try mismatch().signed())
        var matched = mismatch()
        matched.decision = .allowed
        add("valid-number", nil, try matched.signed())
        var reported = draft()
        reported.decision = .rejected
        reported.answering = { $0.isReported = true }
        add("valid-reported", nil, try reported.signed())
        var refused = draft(.session)
        refused.decision = .rejected
        add("valid-session-rejected", nil, try refused.signed())
        var late = draft()
        late.answering = { $0.issuedAt = late.decidedAt + .seconds(60) - .milliseconds(250) }
        add("valid-answer-of-a-clock-that-is-ahead", nil, try late.signed())
        var early = draft()
        early.answering = { $0.expires = early.decidedAt - .seconds(59) - .milliseconds(250) }
        add("valid-answer-of-a-clock-that-is-behind", nil, try early.signed())
        var first = draft()
        first.decidedAt = ReceiptDraft.opened
        add("valid-decision-at-once", nil, try first.signed())
        var soon = draft(.session)
        soon.issuedAt = Timestamp(seconds: soon.decidedAt.seconds)
        add("valid-receipt-in-the-second-of-the-decision", nil, try soon.signed())
        var last = draft(.session)
        last.audit = .init(entry: ReceiptDraft.entry, head: ReceiptDraft.entry)
        add("valid-last-audit-entry", nil, try last.signed())
        var lane = draft(.session)
        lane.audit = .init(entry: "2.\(ReceiptDraft.entry)", head: "2.\(ReceiptDraft.head)")
        add("valid-audit-lane", nil, try lane.signed())
    }

    private mutating func addValidTexts() throws {
        let payment = try JSONReader.parse(
            #"{"type":"payment","amount":1.10,"limit":1e2,"reference":12345678901234567890,"zero":-0.0}"#)
        add(
            "valid-numbers-as-spelt", nil,
            try ReceiptDraft(keys, ReceiptDraft.record(details: [payment.objectValue.found()])).signed())
        let message = "2 €\u{2003}an Müller, Mu\u{308}ller & \u{202E}rellüM\u{202C} 🏦 \"\\\u{7F}\u{1}\u{2028}"
        add(
            "valid-unicode", nil, try ReceiptDraft(keys, ReceiptDraft.record(message: message, name: "代理人")).signed())
        var spelt = draft()
        spelt.record = try RequestRecord(
            parsing: spelt.record.text.replacing("\":", with: "\" :\n ").replacing("Order", with: "\\u004frder"))
        add("valid-record-in-another-spelling", nil, try spelt.signed())
        var foundation = draft()
        foundation.answer = { draft, payload in
            let text = String(decoding: payload, as: UTF8.self).replacing("/", with: "\\/")
                .replacing(#""iat":1795168842,"exp":1795168872"#, with: #""iat":1795168842.118,"exp":1795168872.118"#)
            return try compact(#"{"alg":"ES256","typ":"jwt","x":[]}"#, Array(text.utf8), with: draft.keys.es256.phone)
        }
        add("valid-answer-in-another-spelling", nil, try foundation.signed())
        var later = draft()
        later.record = try RequestRecord(
            parsing: String(#"{"more":{"than":["known"]},"# + later.record.text.dropFirst()))
        add(
            "valid-unknown-members", nil,
            try later.signed { payload in
                payload["version"] = 2
                payload["audit"] = [
                    "tree": [], "entry": .string(ReceiptDraft.entry), "head": .string(ReceiptDraft.head),
                ]
            })
    }
}
