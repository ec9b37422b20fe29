import ApprovalWire
import GuardianWire
import JOSE
import OpenSSLCrypto
import Primitives

/// Receipts whose answer proves something else, or nothing.
extension ReceiptVectors {
    mutating func addAnswers() throws {
        try addAnswerEncodings()
        try addAnswerClaims()
        let other = ReceiptDraft(keys, ReceiptDraft.record(message: "Order 4712")).digest.description
        try answer("answer-about-another-record", .answerDigest) { $0.requestDigest = other }
        try answer("answer-without-digest", .answerDigest) { $0.requestDigest = nil }
        try answer("answer-with-the-digest-padded", .answerDigest) { $0.requestDigest = ($0.requestDigest ?? "") + "=" }
        try answer("answer-of-another-device", .answerDevice) { $0.deviceIdentifier = "6F0C8D1F" }
        try answer("answer-in-another-case", .answerDevice) { $0.deviceIdentifier = "6f0c8d1e" }
        try answer("answer-flipped", .answerDecision) { $0.accepted = false }
        add("decision-flipped", .answerDecision, try draft().signed { $0["decision"] = "rejected" })
        try answer("answer-from-the-future", .answerTime) { response in
            response.issuedAt = ReceiptDraft.decided + .milliseconds(60_750)
        }
        try answer("answer-expired", .answerTime) { $0.expires = ReceiptDraft.decided - .milliseconds(60_250) }
        var rejected = draft()
        rejected.decision = .rejected
        rejected.reason = "Not mine"
        add("reason-left-out", .answerReason, try rejected.signed { $0["reason"] = nil })
        add("reason-changed", .answerReason, try rejected.signed { $0["reason"] = "Not mine." })
        rejected.reason = "D\u{E9}j\u{E0} vu"
        add(
            "reason-in-another-normalization", .answerReason,
            try rejected.signed { $0["reason"] = "De\u{301}ja\u{300} vu" })
        for (name, choices, pick) in [
            ("mismatch-without-choices", false, true), ("mismatch-without-a-pick", true, false),
        ] {
            try add(name, .answerDecision, mismatch(choices: choices, pick: pick).signed())
        }
        var flipped = mismatch()
        flipped.decision = .allowed
        flipped.answering = { $0.accepted = false }
        add("number-with-a-rejection-that-counts-as-an-approval", .answerDecision, try flipped.signed())
        rejected.reason = nil
        add("reason-invented", .answerReason, try rejected.signed { $0["reason"] = "Not mine" })
        rejected.answering = { $0.reason = String(repeating: "n", count: 257) }
        add(
            "reason-kept-too-long", .answerReason,
            try rejected.signed { $0["reason"] = .string(String(repeating: "n", count: 257)) })
        rejected.answering = { $0.reason = "\u{1F}" }
        add("reason-of-a-separator-is-not-blank", .answerReason, try rejected.signed())
    }

    /// A rejection because the person allowed with a wrong number.
    func mismatch(choices: Bool = true, pick: Bool = true) -> ReceiptDraft {
        var display = RequestRecord.Display()
        if choices { display.matchingChoices = [7, 42, 85].compactMap { MatchingNumber($0) } }
        var draft = ReceiptDraft(keys, ReceiptDraft.record(display: display))
        draft.decision = .rejected
        draft.answering = { response in
            response.accepted = true
            response.matchingPick = pick ? MatchingNumber(42) : nil
            response.reason = "fine"
        }
        return draft
    }

    /// An answer with changed claims.
    private mutating func answer(
        _ name: String, _ rule: ReceiptFailure.Rule, _ change: @escaping (inout ChallengeResponse) -> Void
    ) throws {
        var changed = draft()
        changed.answering = change
        add(name, rule, try changed.signed())
    }

    private mutating func addAnswerEncodings() throws {
        func add(
            _ name: String, _ rule: ReceiptFailure.Rule,
            _ answer: @escaping (ReceiptDraft, [UInt8]) throws -> String
        ) throws {
            var changed = draft()
            changed.answer = answer
            self.add(name, rule, try changed.signed())
        }
        let (phone, otherPhone) = (keys.es256.phone, keys.es256.otherPhone)
        let header = #"{"alg":"ES256","typ":"JWT"}"#
        try add("answer-is-no-jws", .answer) { _, _ in "yes" }
        try add("answer-padded", .answer) { _, payload in try compact(header, payload, with: phone) + "==" }
        try add("answer-with-alg-none", .answer) { _, payload in
            compact(#"{"alg":"none","typ":"JWT"}"#, payload) { _ in [] }
        }
        try add("answer-with-alg-hs256", .answer) { _, payload in
            compact(#"{"alg":"HS256","typ":"JWT"}"#, payload) { input in
                OpenSSLHashing().hmac(.sha256, key: JSONWriter.bytes(phone.publicKey.json), input)
            }
        }
        try add("answer-with-an-alg-for-another-key", .answer) { _, payload in
            try compact(#"{"alg":"RS256","typ":"JWT"}"#, payload, with: phone)
        }
        try add("answer-without-typ", .answer) { _, payload in try compact(#"{"alg":"ES256"}"#, payload, with: phone) }
        try add("answer-of-another-type", .answer) { _, payload in
            try compact(#"{"alg":"ES256","typ":"dpop+jwt"}"#, payload, with: phone)
        }
        try add("answer-with-a-critical-extension", .answer) { _, payload in
            try compact(#"{"alg":"ES256","typ":"JWT","crit":["x"],"x":1}"#, payload, with: phone)
        }
        try add("answer-with-a-name-twice", .answer) { _, payload in
            try compact(header, Array(#"{"auth0_guardian_accepted":false,"#.utf8) + payload.dropFirst(), with: phone)
        }
        try add("answer-by-another-key", .answerSignature) { _, payload in
            try compact(header, payload, with: otherPhone)
        }
        try add("answer-changed", .answerSignature) { _, payload in
            let parts = try compact(header, payload, with: phone).split(separator: ".")
            let changed = Base64URL.encode(payload + [0x20])
            return "\(parts[0]).\(changed).\(parts[2])"
        }
        var padded = draft()
        padded.phone = keys.phonePS256
        self.add("answer-with-alg-ps256", .answer, try padded.signed())
    }

    private mutating func addAnswerClaims() throws {
        let phone = keys.es256.phone
        let wrong: [(String, String, String)] = [
            ("answer-of-another-method", #""push""#, #""otp""#),
            ("answer-with-a-text-for-a-boolean", #"_accepted":true"#, #"_accepted":"true""#),
            ("answer-without-expiry", #""exp""#, #""expires""#),
            ("answer-with-a-text-for-a-date", #""exp":1795168872"#, #""exp":"1795168872""#),
            ("answer-with-an-infinite-date", #""exp":1795168872"#, #""exp":1e999"#),
            ("answer-with-a-number-for-a-digest", #""request_digest":""#, #""request_digest":1,"was":""#),
            ("answer-without-challenge", #""sub""#, #""subject""#),
            ("answer-with-an-empty-challenge", #""Zm9yIHRoZSByZXF1ZXN0""#, #""""#),
            ("answer-with-several-audiences", #""aud":""#, #""aud":[],"was":""#),
            ("answer-with-a-number-for-a-reason", #""exp""#, #""auth0_guardian_reason":1,"exp""#),
        ]
        for (name, old, new) in wrong {
            var changed = draft()
            changed.answer = { _, payload in
                let text = String(decoding: payload, as: UTF8.self)
                guard text.contains(old) else { throw NotFound() }
                return try compact(
                    #"{"alg":"ES256","typ":"JWT"}"#, Array(text.replacing(old, with: new).utf8), with: phone)
            }
            add(name, .answer, try changed.signed())
        }
    }
}
