import ApprovalWire
import Audit
package import AuthorizationCore
package import GuardianWire
import JOSE
import Primitives

/// Decides a request by a device's signed answer (Guardian: `resolve-transaction`). The first valid answer is final.
package struct ResolveBackchannelRequest: Sendable {
    static let algorithms: Set<JWSAlgorithm> = [.rs256, .es256]

    let store: any BackchannelResolveStore
    let secrets: GuardianTransactionTokens
    let vault: RequestVault
    let verifier: any Verifier
    let passkeys: PasskeyAnswers
    let hub: DecisionHub
    let refusals: RefusalLog
    let mail: MailComposer

    /// Throws `DeviceFailure` for a fault of the device, and other errors for a fault of this server.
    package func resolve(
        transactionToken: String, body: ResolveTransactionRequest, context: RequestContext
    ) async throws {
        let (tenant, now) = (context.tenant, context.now)
        guard let transaction = secrets.transaction(of: transactionToken, tenant: tenant.id) else {
            throw DeviceFailure.invalidToken("not a transaction token of this tenant")
        }
        let (sealed, enrolled) = try await store.transaction(
            transaction.consent, device: transaction.device, tenant: tenant.id)
        guard let enrolled else { throw DeviceFailure.enrollmentNotFound }
        let device = enrolled.device
        guard let sealed, sealed.user == device.user else { throw DeviceFailure.transactionNotFound }
        guard let request = try await vault.open(sealed, for: .decision, as: transaction.digest, context: context)
        else {
            throw DeviceFailure.requestChanged
        }
        switch request.state {
        case .pending where !request.isExpired(at: now): break
        case .pending, .expired, .undelivered: throw DeviceFailure.transactionExpired
        case .approved, .denied, .redeemed, .superseded: throw DeviceFailure.transactionNotFound
        }
        let passkey = try await passkeys.passkey(for: body.passkey, of: device)
        let answer: ChallengeResponse
        let checked: CheckedDecision
        let confirmed: PasskeyAnswers.Accepted?
        do throws(DeviceFailure) {
            answer = try verified(body.challengeResponse, request, device, tenant: tenant, now: now)
            confirmed = try passkeys.accepted(body.passkey, by: passkey, for: request, answer, tenant: tenant)
            try Self.checkEvidence(answer, confirmed, request, context.configuration)
            guard !enrolled.isUserBlocked else { throw .userBlocked }
            checked = try self.checked(answer, request, device, tenant.settings)
        } catch {
            try await refuse(error, request, device, context)
        }
        let failed = try await FailedLogin(
            checked, of: request, context, store: store, mail: mail, hashing: vault.hashing)

        let proof = DecisionProof(
            answer: ApprovalEvidence.Answer(
                device: ApprovalEvidence.Device(device), token: body.challengeResponse),
            of: device.id, level: Self.level(answer, confirmed), passkey: confirmed, hashing: vault.hashing)
        let result = try await store.resolve(
            try vault.resolution(
                checked, by: proof, of: sealed, request, pause: failed.map(PauseChange.failedLogin), context))
        switch result {
        case .resolved(let hash): hub.decided(hash)
        case .notPending: throw DeviceFailure.transactionNotFound
        case .passkeyUsed: try await refuse(.passkeyCountWentBack, request, device, context)
        }
        if checked.kind == .wrongNumber { throw DeviceFailure.wrongNumber }
    }

    private func refuse(
        _ failure: DeviceFailure, _ request: BackchannelRequest, _ device: Device, _ context: RequestContext
    ) async throws -> Never {
        let refusal = context.refusal(
            .multiFactorFailed, user: request.user, client: request.client, device: device.id,
            consent: request.consentID)
        try await refusals.device(refusal, of: device.id.rawValue, failure)
        throw failure
    }

    private func checked(
        _ answer: ChallengeResponse, _ request: BackchannelRequest, _ device: Device, _ settings: TenantSettings
    ) throws(DeviceFailure) -> CheckedDecision {
        let match = secrets.match(
            answer.matchingPick, of: request, mustPick: device.capabilities.takesNumber(of: request.record))
        guard
            let checked = CheckedDecision(
                accepted: answer.accepted, reason: answer.keptReason, isReported: answer.isReported, match: match,
                of: request, settings: settings)
        else { throw DeviceFailure.numberRequired }
        return checked
    }

    /// Checks a signed answer: the enrolled key, the challenge of this notification, this endpoint, the enrolled
    /// identifier, and a short life.
    private func verified(
        _ token: String, _ request: BackchannelRequest, _ device: Device, tenant: Tenant, now: Timestamp
    ) throws(DeviceFailure) -> ChallengeResponse {
        func refused(_ detail: String, advice: String? = nil) -> DeviceFailure {
            let reason = advice.map { ": \($0)" } ?? ""
            return DeviceFailure(.invalidChallenge, "Invalid challenge_response\(reason)", detail: detail)
        }
        let payload: [UInt8]
        let type: String?
        do {
            let jws = try JWS(parsing: token)
            payload = try jws.verified(by: device.publicKey, allowed: Self.algorithms, using: verifier)
            type = jws.type
        } catch {
            throw refused("signature: \(error)", advice: DeviceAdvice.text(for: error))
        }
        // The device has signed, so it may learn which check failed.
        func advised(_ advice: String) -> DeviceFailure { refused(advice, advice: advice) }
        guard let claims = Claims(payload: payload) else { throw advised("the payload must be a JSON object") }
        let answer: ChallengeResponse
        do { answer = try ChallengeResponse(claims) } catch { throw advised("\(error)") }
        var policy = VerificationPolicy()
        policy.types = ["JWT"]
        policy.issuers = [device.identifier]
        // Devices sign for 30 seconds. Rounding clocks add one.
        policy.maximumLifetime = ChallengeResponse.lifetime + .seconds(1)
        do { try policy.check(claims, type: type, now: now) } catch {
            throw advised(DeviceAdvice.text(for: error, of: claims, policy: policy, now: now))
        }
        // By their bytes, as receipts are verified: equal characters may have several spellings.
        guard answer.deviceIdentifier.utf8.elementsEqual(device.identifier.utf8) else {
            throw advised("iss must be the identifier with which the device enrolled, byte by byte")
        }
        let challenge = secrets.challenge(of: request, device: device.id)
        guard constantTimeEquals(Array(answer.challenge.utf8), Array(challenge.utf8)) else {
            throw advised("sub must be the challenge of this request's notification to this device")
        }
        if let digest = answer.requestDigest, RequestDigest(digest) != request.digest {
            throw advised("request_digest must be the SHA-256 of this request's record in base64url")
        }
        let path = AppliancePath.resolveTransaction.rawValue
        guard PublicURL.matches(answer.audience, tenant: tenant, prefixes: PublicURL.appliancePrefixes, path: path)
        else { throw advised("aud must be \(PublicURL.example(tenant, PublicURL.appliancePrefixes[0] + path))") }
        return answer
    }
}

/// Store port for deciding a request.
package protocol BackchannelResolveStore: ApproverStore {
    /// The tenant's request of that id.
    func request(of consent: ConsentID, tenant: TenantID) async throws -> SealedRequest?

    /// The request and the device of a transaction. Nil means that the tenant has none.
    func transaction(
        _ consent: ConsentID, device: DeviceID, tenant: TenantID
    ) async throws -> (request: SealedRequest?, device: EnrolledDevice?)

    /// Stores the first decision of a pending, unexpired request in one transaction. The transaction also has the audit
    /// event, the client's pause and the withdrawal from the other devices. Changes nothing for a later
    /// or late decision, for a device or session that ended or is not the user's, and for a blocked user.
    func resolve(_ resolution: Resolution) async throws -> ResolveOutcome
}

package enum ResolveOutcome: Sendable, Equatable {
    /// Has the hash that token requests wait for.
    case resolved(AuthReqIDHash)
    /// The request was decided before, expired or deleted, or another device has to decide.
    case notPending
    /// The passkey was replaced, or its count grew meanwhile.
    case passkeyUsed
}

extension ApprovalEvidence.Device {
    fileprivate init(_ device: Device) {
        self.init(
            id: device.id.rawValue, name: device.name, identifier: device.identifier, publicKey: device.publicKey,
            enrolledAt: device.enrolledAt)
    }
}
