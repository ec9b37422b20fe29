package import ApprovalWire
package import Audit
package import AuthorizationCore
package import Primitives

/// Seals requests for the store, and opens them again. A request whose row was changed by anybody without the master
/// key is refused: it is not shown, decided or redeemed, and the audit log has an entry.
package struct RequestVault: Sendable {
    /// Use that an opened request is for.
    package enum Purpose: String, Sendable {
        case notification, repetition, consent, decision, redemption, receipt, history
    }

    /// Limit of entries in the audit log, as for a device.
    private static let subject = "changed request"

    let sealer: any Sealer
    package let hashing: any Hashing
    /// The server's one log of refusals: two would count apart.
    package let refusals: RefusalLog

    package init(sealer: any Sealer, hashing: any Hashing, refusals: RefusalLog) {
        self.sealer = sealer
        self.hashing = hashing
        self.refusals = refusals
    }

    /// The pending request of a record.
    package func request(
        _ record: RequestRecord, channel: Client.NotificationChannel, interval: Int
    ) -> BackchannelRequest {
        BackchannelRequest(record: record, digest: record.digest(hashing), channel: channel, interval: interval)
    }

    package func seal(_ request: BackchannelRequest, _ hash: AuthReqIDHash) throws -> SealedRequest {
        var sealed = SealedRequest(
            hash: hash, tenant: request.tenant, client: request.client, user: request.user, audience: request.audience,
            channel: request.channel, createdAt: request.createdAt, expiresAt: request.expiresAt,
            interval: request.interval, wantsReceipt: request.wantsReceipt, login: request.login,
            browser: request.browser)
        sealed.record = try sealer.seal(Array(request.record.text.utf8), context: sealed.recordContext)
        return sealed
    }

    package func seal(
        _ outcome: BackchannelRequest.Outcome, of hash: AuthReqIDHash, tenant: TenantID
    ) throws -> [UInt8] {
        try sealer.seal(outcome.bytes, context: SealedRequest.outcomeContext(hash, tenant: tenant))
    }

    /// Nil means that the row was changed, which is then in the audit log.
    /// - Parameter digest: digest that the device's token names. Nil for uses without a token.
    package func open(
        _ sealed: SealedRequest, for purpose: Purpose, as digest: RequestDigest? = nil, context: RequestContext
    ) async throws -> BackchannelRequest? {
        if let request = opened(sealed), digest == nil || digest == request.digest { return request }
        try await report(
            purpose,
            context.refusal(.requestTampered, user: sealed.user, client: sealed.client, consent: sealed.consentID))
        return nil
    }

    private func report(_ purpose: Purpose, _ refusal: AuditRefusal) async throws {
        var refusal = refusal
        refusal.details["purpose"] = .string(purpose.rawValue)
        try await refusals.record(
            refusal, of: "\(Self.subject) \(refusal.consent?.rawValue ?? "")",
            message: "the stored request was changed",
            code: "request_tampered")
    }

    private func opened(_ sealed: SealedRequest) -> BackchannelRequest? {
        guard let record = record(sealed.record, sealed.recordContext),
            // The context binds the other columns. This one guards against a fault of this program.
            record.id == sealed.consentID.rawValue
        else { return nil }
        var request = request(record, channel: sealed.channel, interval: sealed.interval)
        request.sequence = sealed.sequence
        request.wantsReceipt = sealed.wantsReceipt
        request.login = sealed.login
        request.browser = sealed.browser
        request.state = sealed.state
        if let box = sealed.outcome {
            let context = SealedRequest.outcomeContext(sealed.hash, tenant: sealed.tenant)
            guard let bytes = try? sealer.open(box, context: context).bytes,
                let outcome = BackchannelRequest.Outcome(parsing: bytes), outcome.device == sealed.decidedBy,
                outcome.session?.id == sealed.decidedIn, outcome.decision.state == sealed.state
            else { return nil }
            request.outcome = outcome
        } else {
            // A decision without its seal was written by somebody else. Only a redemption takes the seal away.
            let isDecided = sealed.decidedBy != nil || sealed.decidedIn != nil
            let isRedeemed = sealed.state == .redeemed && isDecided
            let isUndecided = [.pending, .expired, .undelivered, .superseded].contains(sealed.state) && !isDecided
            guard isRedeemed || isUndecided else { return nil }
        }
        return request
    }

    package func seal(_ evidence: ApprovalEvidence, of consent: ConsentID, tenant: TenantID) throws -> [UInt8] {
        try sealer.seal(
            Array(evidence.text.utf8), context: StoredApproval.sealingContext(consent, tenant: tenant))
    }

    /// Nil means that the row was changed, which is then in the audit log.
    package func open(_ approval: StoredApproval, context: RequestContext) async throws -> ApprovalEvidence? {
        if let evidence = opened(approval) { return evidence }
        try await report(
            .receipt,
            context.refusal(.requestTampered, user: approval.user, client: approval.client, consent: approval.consent))
        return nil
    }

    /// The record of a request that ended without an answer. Nil means that the row was changed, which is then in the
    /// audit log.
    package func open(_ request: UnansweredRequest, context: RequestContext) async throws -> RequestRecord? {
        if request.hasItsEntry, let record = record(request.record, request.recordContext),
            record.id == request.consent.rawValue, record.tenant == request.tenant.rawValue,
            record.client.id == request.client.rawValue, record.user == request.user.rawValue
        {
            return record
        }
        try await report(
            .history,
            context.refusal(.requestTampered, user: request.user, client: request.client, consent: request.consent))
        return nil
    }

    private func record(_ box: [UInt8], _ context: String) -> RequestRecord? {
        guard let text = try? sealer.open(box, context: context).bytes else { return nil }
        return try? RequestRecord(parsing: String(decoding: text, as: UTF8.self))
    }

    /// Records that the evidence of a decided request is gone.
    package func reportLostEvidence(of request: BackchannelRequest, _ context: RequestContext) async throws {
        try await report(
            .receipt,
            context.refusal(
                .requestTampered, user: request.user, client: request.client, consent: request.consentID))
    }

    private func opened(_ approval: StoredApproval) -> ApprovalEvidence? {
        let context = StoredApproval.sealingContext(approval.consent, tenant: approval.tenant)
        guard approval.hasItsEntry, let bytes = try? sealer.open(approval.sealed, context: context).bytes,
            let evidence = try? ApprovalEvidence(parsing: String(decoding: bytes, as: UTF8.self)),
            evidence.record.client.id == approval.client.rawValue, evidence.record.user == approval.user.rawValue
        else { return nil }
        return evidence
    }
}

extension BackchannelRequest.Outcome {
    fileprivate enum Name {
        static let (allowed, at, device, reason, cause) = ("allowed", "at", "device", "reason", "cause")
        static let (session, id, methods, contextClass) = ("session", "id", "amr", "acr")
    }

    /// The sealed form.
    fileprivate var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.member(Name.allowed, decision.state == .approved)
            writer.member(Name.at, decidedAt.milliseconds)
            writer.member(Name.device, ifPresent: device?.rawValue)
            if let session {
                writer.member(Name.session) { writer in
                    writer.member(Name.id, session.id.rawValue)
                    writer.member(Name.at, session.authenticatedAt.milliseconds)
                    writer.member(Name.methods, session.methods)
                    writer.member(Name.contextClass, ifPresent: session.contextClass)
                }
            }
            writer.member(Name.reason, ifPresent: decision.reason)
            writer.member(Name.cause, ifPresent: cause?.rawValue)
        }
    }

    fileprivate init?(parsing bytes: [UInt8]) {
        guard let value = try? JSONReader.parse(bytes), let isAllowed = value[Name.allowed]?.boolValue,
            let moment = value[Name.at]?.intValue
        else { return nil }
        let decider: BackchannelRequest.Decider?
        if let value = value[Name.session] {
            guard let session = BackchannelRequest.DecidingSession(value) else { return nil }
            decider = .session(session)
        } else {
            decider = value[Name.device]?.stringValue.map { .device(DeviceID($0)) }
        }
        self.init(
            isAllowed ? .allow : .reject(reason: value[Name.reason]?.stringValue),
            at: Timestamp(milliseconds: Int64(moment)), by: decider,
            cause: value[Name.cause]?.stringValue.flatMap(ApprovalEvidence.Cause.init(rawValue:)))
    }
}

extension BackchannelRequest.DecidingSession {
    private typealias Name = BackchannelRequest.Outcome.Name

    fileprivate init?(_ value: JSONValue) {
        guard let id = value[Name.id]?.stringValue, let at = value[Name.at]?.intValue,
            let methods = value[Name.methods]?.stringsValue
        else { return nil }
        self.init(
            id: SessionID(id), authenticatedAt: Timestamp(milliseconds: Int64(at)), methods: methods,
            contextClass: value[Name.contextClass]?.stringValue)
    }
}
