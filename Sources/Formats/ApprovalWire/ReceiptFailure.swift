import JOSE

/// Reason that a receipt is not valid.
package struct ReceiptFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The rules of docs/receipts.md, in its order. A receipt that breaks several is refused for one of them.
    package enum Rule: String, Sendable, CaseIterable {
        case form, algorithm, critical, type, key, signature
        case payload, agreement, issuer, digest
        case decisionTime = "decision-time"
        case issueTime = "issue-time"
        case reason, level
        case answer
        case answerSignature = "answer-signature"
        case answerDevice = "answer-device"
        case answerDecision = "answer-decision"
        case answerReason = "answer-reason"
        case answerTime = "answer-time"
        case answerDigest = "answer-digest"
        case passkey
        case passkeySignature = "passkey-signature"
        case passkeyChallenge = "passkey-challenge"
        case passkeyOrigin = "passkey-origin"
        case passkeyUser = "passkey-user"
        case audit
    }

    package let rule: Rule
    /// Fault without values of the receipt, such as "the signature does not match".
    package let description: String

    init(_ rule: Rule, _ description: String) {
        self.rule = rule
        self.description = description
    }

    init(_ failure: ApprovalFailure) {
        if case .disagrees = failure { self.init(.agreement, "\(failure)") } else { self.init(.payload, "\(failure)") }
    }

    /// Fault of the receipt's own JWS.
    init(_ failure: JWS.Failure) {
        switch failure {
        case .malformed: self.init(.form, "it is not a JWS in compact form (RFC 7515 clause 7.1)")
        case .tooLong(let limit): self.init(.form, "it has more than \(limit) bytes")
        case .algorithm: self.init(.algorithm, "alg must be RS256, PS256, ES256 or EdDSA")
        case .critical: self.init(.critical, "the header must have no crit")
        case .signature: self.init(.signature, "the issuer's signature does not match")
        }
    }

    /// Fault of the device's answer.
    init(answer failure: JWS.Failure) {
        switch failure {
        case .malformed, .tooLong: self.init(.answer, "the answer is no JWS in compact form (RFC 7515 clause 7.1)")
        case .algorithm: self.init(.answer, "the answer's alg must be RS256 or ES256 and fit the device's key")
        case .critical: self.init(.answer, "the answer's header must have no crit")
        case .signature: self.init(.answerSignature, "the answer is not signed by the device's key")
        }
    }
}
