package import GuardianWire
package import JOSE
package import Primitives

/// Verifies receipts by the rules of docs/receipts.md, which other implementations share.
package struct ReceiptVerifier: Sendable {
    private static let algorithms: Set<JWSAlgorithm> = [.rs256, .ps256, .es256, .edDSA]
    private static let answerAlgorithms: Set<JWSAlgorithm> = [.rs256, .es256]
    /// Tolerated difference of the clocks of a device and the server.
    private static let tolerance: Duration = .seconds(60)

    private let keys: JWKSet
    private let issuer: String?
    let verifier: any Verifier
    let hashing: any Hashing

    /// - Parameters:
    ///   - keys: The issuer's published keys. Their origin is the root of all trust in a receipt.
    ///   - issuer: The issuer that receipts must name, compared by its bytes. Nil means any whose keys these are.
    package init(keys: JWKSet, issuer: String? = nil, verifier: any Verifier, hashing: any Hashing) {
        self.keys = keys
        self.issuer = issuer
        self.verifier = verifier
        self.hashing = hashing
    }

    package func verify(_ text: String) throws(ReceiptFailure) -> VerifiedReceipt {
        let payload = try signedPayload(of: text)
        let claims: ReceiptClaims
        do { claims = try ReceiptClaims(parsing: payload) } catch { throw ReceiptFailure(error) }
        try checkDecision(claims)
        let rejectedPick = try checkProof(claims)
        try checkPasskey(claims.evidence, claims.digest)
        guard claims.audit.isPossible else {
            throw ReceiptFailure(
                .audit, "audit.entry and audit.head must be a number and a hash each, the head not before the entry")
        }
        return VerifiedReceipt(text: text, claims: claims, rejectedPick: rejectedPick)
    }

    private func signedPayload(of text: String) throws(ReceiptFailure) -> [UInt8] {
        let jws: JWS
        do { jws = try JWS(parsing: text, limit: ReceiptClaims.limit) } catch { throw ReceiptFailure(error) }
        guard Self.algorithms.contains(jws.algorithm) else {
            throw ReceiptFailure(JWS.Failure.algorithm(jws.algorithm.rawValue))
        }
        guard jws.type == ReceiptClaims.type else {
            throw ReceiptFailure(.type, "typ must be \(ReceiptClaims.type)")
        }
        guard let id = jws.keyID, let key = keys.key(id: id, for: jws.algorithm) else {
            throw ReceiptFailure(.key, "the issuer's keys contain none with its kid that fits its alg")
        }
        do {
            return try jws.verified(by: key, allowed: Self.algorithms, using: verifier)
        } catch {
            throw ReceiptFailure(error)
        }
    }

    private func checkDecision(_ claims: ReceiptClaims) throws(ReceiptFailure) {
        let (evidence, record) = (claims.evidence, claims.evidence.record)
        if let issuer, !record.issuer.hasSameBytes(as: issuer) {
            throw ReceiptFailure(.issuer, "another issuer than the expected one made it")
        }
        guard record.digest(hashing) == claims.digest else {
            throw ReceiptFailure(.digest, "request_digest is not the digest of the record")
        }
        guard (record.createdAt..<max(record.createdAt, record.expiresAt)).contains(evidence.decidedAt) else {
            throw ReceiptFailure(.decisionTime, "the decision was not made while the request was open")
        }
        // `iat` has whole seconds.
        guard claims.issuedAt.seconds >= evidence.decidedAt.seconds else {
            throw ReceiptFailure(.issueTime, "iat is before the decision")
        }
        guard evidence.decision == .rejected || evidence.reason == nil else {
            throw ReceiptFailure(.reason, "only a rejection has a reason")
        }
    }

    /// Returns the number that was picked in an answer that allows, if the issuer rejected the request because of it.
    private func checkProof(_ claims: ReceiptClaims) throws(ReceiptFailure) -> MatchingNumber? {
        let evidence = claims.evidence
        guard evidence.level != .session else {
            guard evidence.answer == nil, evidence.session != nil else {
                throw ReceiptFailure(.level, "a decision of the level session has a session, no device and no answer")
            }
            return nil
        }
        guard let answer = evidence.answer, evidence.session == nil else {
            throw ReceiptFailure(
                .level, "a decision of another level than session has a device, its answer and no session")
        }
        let response = try signedResponse(answer)
        guard response.deviceIdentifier.hasSameBytes(as: answer.device.identifier) else {
            throw ReceiptFailure(.answerDevice, "the answer's iss is not the device's identifier")
        }
        // Only the issuer knows the right number.
        let isPicked = evidence.record.display.asksNumber
        let rejectedPick =
            isPicked && response.accepted && evidence.decision == .rejected ? response.matchingPick : nil
        guard response.accepted == (evidence.decision == .allowed) || rejectedPick != nil else {
            throw ReceiptFailure(.answerDecision, "the answer has the opposite decision")
        }
        // A reason that came with an approval is not kept.
        let reason = response.accepted ? nil : response.keptReason
        guard reason.map({ Array($0.utf8) }) == evidence.reason.map({ Array($0.utf8) }) else {
            throw ReceiptFailure(.answerReason, "the answer has another reason")
        }
        guard response.issuedAt <= evidence.decidedAt + Self.tolerance,
            evidence.decidedAt < response.expires + Self.tolerance
        else { throw ReceiptFailure(.answerTime, "the answer was not valid when the request was decided") }
        guard evidence.level != .signedChallenge else {
            guard response.requestDigest == nil else {
                throw ReceiptFailure(
                    .level, "an answer with request_digest has the level signed-digest or user-verified")
            }
            return rejectedPick
        }
        guard let digest = response.requestDigest, digest.hasSameBytes(as: claims.digest.description) else {
            throw ReceiptFailure(.answerDigest, "the answer's request_digest is not the digest of the record")
        }
        return rejectedPick
    }

    /// The answer's claims, if the device's key signed them.
    private func signedResponse(_ answer: ApprovalEvidence.Answer) throws(ReceiptFailure) -> ChallengeResponse {
        let type: String?
        let payload: [UInt8]
        do {
            let jws = try JWS(parsing: answer.token)
            type = jws.type
            payload = try jws.verified(
                by: answer.device.publicKey, allowed: Self.answerAlgorithms, using: verifier)
        } catch {
            throw ReceiptFailure(answer: error)
        }
        // Servers accept any case (RFC 7519 clause 5.1).
        guard type?.lowercased() == "jwt" else { throw ReceiptFailure(.answer, "the answer's typ must be JWT") }
        guard let claims = Claims(payload: payload) else {
            throw ReceiptFailure(.answer, "the answer's payload is no JSON object, or has a name twice")
        }
        do { return try ChallengeResponse(claims) } catch { throw ReceiptFailure(.answer, "\(error)") }
    }
}

/// A receipt whose every rule was checked. Only `ReceiptVerifier` makes one.
package struct VerifiedReceipt: Sendable, Equatable {
    /// The JWS.
    package let text: String
    package let claims: ReceiptClaims
    /// Number in an answer that allows, if the issuer rejected the request because of it.
    package let rejectedPick: MatchingNumber?

    fileprivate init(text: String, claims: ReceiptClaims, rejectedPick: MatchingNumber?) {
        self.text = text
        self.claims = claims
        self.rejectedPick = rejectedPick
    }
}
