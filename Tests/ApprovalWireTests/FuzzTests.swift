import ApprovalWire
import JOSE
import OpenSSLCrypto
import Primitives
import TestSupport
import TestTools
import Testing

@Suite("Mutated inputs: receipts")
struct FuzzTests {
    @Test("An issuer that signs any payload cannot change the decision and the text that a device signed")
    func payloads() throws {
        let keys = try VectorKeys()
        let draft = ReceiptDraft(keys)
        let genuine = try draft.claims()
        let session = try ReceiptDraft(keys, level: .session).claims()
        let verifier = ReceiptVerifier(
            keys: keys.published, verifier: OpenSSLVerifier(), hashing: OpenSSLHashing())
        let verified = try ReceiptDraft(keys, level: .userVerified).claims()
        var fuzzer = MutationFuzzer(
            corpus: [genuine, session, verified].map { String(decoding: $0.payload, as: UTF8.self) },
            tokens: [
                "\"", "\\", ":", ",", "{", "}", "null", "allowed", "rejected", "session", "signed-challenge",
                "\"reason\":\"no\",", "\"answer\":\"e30.e30.\",", "1e9",
            ], cost: 5)
        fuzzer.check("receipt") { payload in
            let text = try draft.sign(payload, by: keys.shopEdDSA)
            guard let evidence = try? verifier.verify(text).claims.evidence, evidence.level != .session else {
                return true
            }
            return evidence.decision == .allowed && evidence.record == genuine.evidence.record
        }
    }
}
