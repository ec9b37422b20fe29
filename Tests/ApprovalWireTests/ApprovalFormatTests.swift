import ApprovalWire
import GuardianWire
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

    @Test(
        "The stored evidence says why a request was rejected, and the receipt does not",
        arguments: ApprovalEvidence.Decision.allCases)
    func cause(decision: ApprovalEvidence.Decision) throws {
        let draft = ReceiptDraft(try VectorKeys())
        for (cause, outcome) in [
            (nil, DecidedRequests.Outcome.rejected), (.reported, .reported), (.wrongNumber, .wrongNumber),
        ] as [(ApprovalEvidence.Cause?, DecidedRequests.Outcome)] {
            let evidence = ApprovalEvidence(
                record: draft.record, decision: decision, reason: nil, cause: cause, decidedAt: draft.decidedAt,
                level: .session, answer: nil, session: ReceiptDraft.session)
            #expect(try ApprovalEvidence(parsing: evidence.text) == evidence)
            #expect(evidence.outcome == (decision == .allowed ? .allowed : outcome))
            let claims = ReceiptClaims(
                issuedAt: draft.decidedAt, evidence: evidence, digest: draft.digest, audit: draft.audit)
            let receipt = try JSONReader.parse(claims.payload)
            #expect(receipt["cause"] == nil && receipt["decision"]?.stringValue == decision.rawValue)
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

    @Test("A record carries how it is shown, and refuses what no phone can show")
    func display() throws {
        var display = RequestRecord.Display()
        display.clientLogo = "https://shop.example/logo.png"
        display.isFirstParty = true
        display.matchingChoices = ["07", "42", "85"].compactMap { MatchingNumber($0) }
        display.language = "de"
        display.login = RequestRecord.Login(
            application: "Shop", browser: "Firefox", system: "macOS", address: "192.0.2.7",
            place: RequestRecord.Place(names: ["en": "Munich", "de": "München", "fr": "Munich"]),
            at: Timestamp(seconds: 1_795_168_800))
        display.presentation = [["label": "Payment"]]
        display.isUrgent = true
        let plain = ReceiptDraft.record(details: [["type": "payment"]])
        let record = RequestRecord(
            id: plain.id, issuer: plain.issuer, tenant: plain.tenant, client: plain.client, user: plain.user,
            audience: plain.audience, scope: plain.scope, bindingMessage: plain.bindingMessage,
            authorizationDetails: plain.authorizationDetails, display: display, createdAt: plain.createdAt,
            expiresAt: plain.expiresAt, salt: "salt")
        #expect(try RequestRecord(parsing: record.text).display == display)
        #expect(try RequestRecord(parsing: plain.text).display == RequestRecord.Display())
        for (name, value) in [
            ("matching_choices", ["07", "42"]), ("matching_choices", ["07", "42", "42"]), ("matching_choices", "07"),
            ("matching_choices", ["07", "42", 85]), ("presentation", [[:], [:]]),
            ("presentation", ["a"]), ("urgent", "yes"), ("client_logo", 1),
            ("matching", "type"), ("matching", "choose"), ("matching", true), ("language", 1), ("login", "Shop"),
            ("login", ["application": "Shop"]), ("login", ["at": "2026-12-01T09:05:30.000Z"]),
            ("login", ["application": "Shop", "at": "2026-12-01T09:05:30.000Z", "place": ["en": "Munich"]]),
            ("login", ["application": "Shop", "at": "2026-12-01T09:05:30.000Z", "browser": 1]),
        ] as [(String, JSONValue)] {
            var object = try #require(try JSONReader.parse(record.text).objectValue)
            object[name] = value
            #expect(throws: ApprovalFailure.self, "\(name) \(value)") {
                try RequestRecord(parsing: JSONWriter.string(.object(object)))
            }
        }
    }
}
