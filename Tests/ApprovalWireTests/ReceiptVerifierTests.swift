import ApprovalWire
import JOSE
import OpenSSLCrypto
import Primitives
import Testing

@Suite("Verifying receipts")
struct ReceiptVerifierTests {
    private let keys: VectorKeys

    init() throws { keys = try VectorKeys() }

    private func verify(
        _ text: String, keys: JWKSet? = nil, issuer: String? = nil
    ) throws(ReceiptFailure) -> VerifiedReceipt {
        try ReceiptVerifier(
            keys: keys ?? self.keys.published, issuer: issuer, verifier: OpenSSLVerifier(), hashing: OpenSSLHashing()
        ).verify(text)
    }

    @Test("A receipt with any other byte, with a byte less and with a byte more is refused")
    func everyByte() throws {
        let good = try ReceiptDraft(keys).signed()
        #expect(throws: Never.self) { try verify(good) }
        let bytes = Array(good.utf8)
        for position in bytes.indices {
            // A bit, the case of a letter, and the separator.
            for other in [bytes[position] ^ 1, bytes[position] ^ 0x20, UInt8(ascii: ".")] where other != bytes[position]
            {
                var changed = bytes
                changed[position] = other
                #expect(throws: ReceiptFailure.self, "byte \(position)") {
                    try verify(String(decoding: changed, as: UTF8.self))
                }
            }
            var shorter = bytes
            shorter.remove(at: position)
            #expect(throws: ReceiptFailure.self) { try verify(String(decoding: shorter, as: UTF8.self)) }
        }
        for end in ["\n", "A", "=", ".", "\0"] { #expect(throws: ReceiptFailure.self) { try verify(good + end) } }
    }

    @Test("A receipt is read up to 1 MiB, much longer than a token")
    func limit() throws {
        func receipt(_ size: Int) throws -> String {
            let detail: JSONObject = ["type": "note", "text": .string(String(repeating: "n", count: size))]
            return try ReceiptDraft(keys, ReceiptDraft.record(details: [detail])).signed()
        }
        let long = try receipt(780_000)
        #expect(long.utf8.count > 1_000_000 && long.utf8.count <= ReceiptClaims.limit)
        #expect(throws: Never.self) { try verify(long) }
        let failure = #expect(throws: ReceiptFailure.self) { try verify(try receipt(790_000)) }
        #expect(failure?.rule == .form)
    }

    @Test("A verified receipt has the claims that were signed, and its own text")
    func claims() throws {
        for level in ApprovalEvidence.Level.allCases {
            let draft = ReceiptDraft(keys, level: level)
            let text = try draft.signed()
            let receipt = try verify(text, issuer: ReceiptVectors.issuer)
            #expect(receipt.text == text)
            #expect(receipt.claims == (try draft.claims()))
        }
    }

    @Test("Without the issuer's keys nothing is proven, whatever the receipt says")
    func unknownKeys() throws {
        let good = try ReceiptDraft(keys).signed()
        let failure = #expect(throws: ReceiptFailure.self) { try verify(good, keys: JWKSet(keys: [])) }
        #expect(failure?.rule == .key)
        let stolen = #expect(throws: ReceiptFailure.self) {
            try verify(good, keys: JWKSet(keys: [keys.es256.other.publicKey]))
        }
        #expect(stolen?.rule == .signature)
    }

    @Test("The statements say whose key signed, and never claim more than the level proves")
    func statements() throws {
        let digest = try verify(try ReceiptDraft(keys).signed())
        let stated = """
            https://id.shop.example/ states that auth0|65f0c1e2 allowed exactly this request of Ordering agent \
            (3vT0aMXjWkq2mZ9wqVbN1rYpLsKd8uXe) on 2026-11-20T10:00:42.250Z.
            """
        #expect(digest.proven.first == stated)
        let details: [JSONObject] = [
            ["type": "t", "amount": ["value": "2500.00", "currency": "EUR"], "payee": "Merchant A"]
        ]
        let payment = try verify(try ReceiptDraft(keys, ReceiptDraft.record(details: details)).signed())
        #expect(payment.proven.first?.contains("uXe), €2,500.00 to Merchant A, on 2026-11-20") == true)
        let signed = "The key of the device Hanna's phone signed the approval of exactly this text."
        #expect(digest.proven[1].hasPrefix(signed))
        #expect(digest.notProven.contains { $0.contains("held the device") })
        #expect(digest.notProven.contains { $0.contains("is a key of auth0|65f0c1e2") })
        #expect(digest.notProven.contains { $0.contains("log verify --expect \(ReceiptDraft.entry)") })

        let challenge = try verify(try ReceiptDraft(keys, level: .signedChallenge).signed())
        #expect(challenge.proven[1].contains("names a challenge"))
        #expect(!challenge.proven.contains { $0.contains("this text") })
        #expect(challenge.notProven.contains { $0.contains("the challenge belongs to this text") })

        let session = try verify(try ReceiptDraft(keys, level: .session).signed())
        #expect(!session.proven.contains { $0.contains("key of the device") })
        #expect(session.notProven.contains { $0.contains("auth0|65f0c1e2 decided") })
    }
}
