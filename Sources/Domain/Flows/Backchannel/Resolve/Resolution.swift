import ApprovalWire
package import Audit
package import AuthorizationCore
package import Primitives

/// A decision as the store keeps it.
package struct Resolution: Sendable {
    package enum Decider: Sendable, Equatable {
        case device(DeviceID)
        /// `cookie` is the SHA-256 of the session's cookie.
        case session(SessionID, cookie: [UInt8])

        package var device: DeviceID? { if case .device(let id) = self { id } else { nil } }
    }

    package let consent: ConsentID
    package let tenant: TenantID
    package let decider: Decider
    package let client: ClientID
    package let decision: BackchannelRequest.Decision
    package let now: Timestamp
    /// A sealed `BackchannelRequest.Outcome`.
    package let outcome: [UInt8]
    /// A sealed `ApprovalEvidence`, which is kept after the request is gone. Nil keeps none.
    package let evidence: [UInt8]?
    /// Nil if the answer has no assertion.
    package var passkey: PasskeyUse?
    /// End of the evidence's retention.
    package let keptUntil: Timestamp
    package let pause: PauseChange
    package let event: AuditEvent
}

/// The sender of a decision, and what proves it.
struct DecisionProof {
    fileprivate let decider: Resolution.Decider
    fileprivate let outcomeDecider: BackchannelRequest.Decider
    fileprivate let level: ApprovalEvidence.Level
    fileprivate var answer: ApprovalEvidence.Answer?
    fileprivate var session: ApprovalEvidence.Session?
    fileprivate var passkey: PasskeyAnswers.Accepted?
    /// Members of the audit entry.
    fileprivate let details: JSONObject

    init(
        answer: ApprovalEvidence.Answer, of device: DeviceID, level: ApprovalEvidence.Level,
        passkey: PasskeyAnswers.Accepted?, hashing: any Hashing
    ) {
        decider = .device(device)
        outcomeDecider = .device(device)
        self.level = level
        self.answer = answer
        self.passkey = passkey
        details = ["answer_sha256": .string(Base64URL.encode(hashing.sha256(utf8: answer.token).bytes))]
    }

    /// `cookie` is the SHA-256 of the session's cookie.
    init(session: BackchannelRequest.DecidingSession, cookie: [UInt8], hashing: any Hashing) {
        decider = .session(session.id, cookie: cookie)
        outcomeDecider = .session(session)
        level = .session
        self.session = ApprovalEvidence.Session(
            digest: Base64URL.encode(hashing.sha256(utf8: session.id.rawValue).bytes),
            authenticatedAt: session.authenticatedAt, methods: session.methods, contextClass: session.contextClass)
        details = ["sid": .string(session.id.rawValue), "amr": JSONValue(session.methods)]
    }
}

extension RequestVault {
    /// A checked decision with its evidence, its audit entry and its effect on the client's later requests.
    /// - Parameter pause: Nil takes the decision's own.
    func resolution(
        _ checked: CheckedDecision, by proof: DecisionProof, of sealed: SealedRequest, _ request: BackchannelRequest,
        pause: PauseChange? = nil, _ context: RequestContext
    ) throws -> Resolution {
        let (decision, tenant, now) = (checked.decision, context.tenant, context.now)
        // A clock that was set back must not make a decision older than its request.
        let decidedAt = max(now, request.createdAt)
        let outcome = BackchannelRequest.Outcome(
            decision, at: decidedAt, by: proof.outcomeDecider, cause: checked.cause)
        let evidence = ApprovalEvidence(
            record: request.record, decision: decision == .allow ? .allowed : .rejected, reason: decision.reason,
            cause: checked.cause, decidedAt: decidedAt, level: proof.level, answer: proof.answer,
            session: proof.session, passkey: proof.passkey?.evidence)
        var details: JSONObject = [
            "request_digest": .string(request.digest.description), "evidence": .string(proof.level.rawValue),
        ]
        for (name, value) in proof.details { details[name] = value }
        details["reason"] = decision.reason.map(JSONValue.string)
        return Resolution(
            consent: request.consentID, tenant: tenant.id, decider: proof.decider, client: request.client,
            decision: decision, now: now, outcome: try seal(outcome, of: sealed.hash, tenant: tenant.id),
            evidence: try seal(evidence, of: request.consentID, tenant: tenant.id), passkey: proof.passkey?.use,
            // Evidence is kept by the settings at the decision, so that no later setting ends it earlier, and until the
            // request's end at least: the client may ask for it with the tokens.
            keptUntil: max(request.expiresAt, now + .seconds(tenant.settings.approvalRetention)),
            pause: pause ?? checked.pause,
            event: context.event(
                checked.kind, charge: .once(.request), user: request.user, client: request.client,
                device: proof.decider.device, consent: request.consentID, details: details))
    }
}
