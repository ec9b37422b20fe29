import ApprovalWire
import OpenSSLCrypto
import Primitives
import Testing

@Suite("Records and evidence")
struct ApprovalFormatTests {
    @Test("A record is read as it was written, and keeps its text")
    func record() throws {
        let written = ReceiptDraft.record(details: [["type": "payment", "amount": 1]])
        let read = try RequestRecord(parsing: written.text)
        #expect(read == written && read.text == written.text)
        #expect(read.client == written.client && read.audience == written.audience && read.scope == written.scope)
        #expect(read.authorizationDetails == written.authorizationDetails)
        #expect(read.createdAt == written.createdAt && read.expiresAt == written.expiresAt)
        #expect(read.digest(OpenSSLHashing()) == written.digest(OpenSSLHashing()))
    }

    @Test("Records that Unicode counts as equivalent are not equal, because their digests are not")
    func normalization() {
        let (composed, decomposed) = (
            ReceiptDraft.record(message: "Caf\u{E9}"), ReceiptDraft.record(message: "Cafe\u{301}")
        )
        #expect(composed.text == decomposed.text)
        #expect(composed != decomposed)
        #expect(composed.digest(OpenSSLHashing()) != decomposed.digest(OpenSSLHashing()))
    }

    @Test("Evidence is read as it was written, with its device and answer or without")
    func evidence() throws {
        let keys = try VectorKeys()
        for level in ApprovalEvidence.Level.allCases {
            var draft = ReceiptDraft(keys, level: level)
            draft.decision = .rejected
            draft.reason = "Not mine"
            let evidence = try draft.claims().evidence
            #expect(try ApprovalEvidence(parsing: evidence.text) == evidence)
        }
    }

    @Test("Failures name the member by its path, never its value")
    func failures() throws {
        let text = ReceiptDraft.record().text
        #expect(throws: ApprovalFailure.missing("record.sub")) {
            try RequestRecord(parsing: text.replacing("\"sub\"", with: "\"user\""))
        }
        #expect(throws: ApprovalFailure.notJSON("record")) { try RequestRecord(parsing: "{") }
        let failure = #expect(throws: ApprovalFailure.self) {
            try RequestRecord(parsing: text.replacing(#"{"value":"openid"}"#, with: #""openid""#))
        }
        #expect(failure?.description == "record.scope[0] must be an object")
    }
}
