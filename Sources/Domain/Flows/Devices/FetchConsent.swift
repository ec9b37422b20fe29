import ApprovalWire
package import Audit
package import AuthorizationCore
package import GuardianWire
package import JOSE
import OAuthWire
package import Primitives

/// Reads the request that a device shows before the user decides (Guardian: `rich-consents`).
package struct FetchConsent: Sendable {
    /// Longest distance of a proof's `iat` from now.
    static let proofWindow = Duration.seconds(60)
    /// Longest time from a proof's acceptance to its end, for a device whose clock is ahead.
    package static let longestProofLife = Duration.seconds(120)
    /// Member of an audit entry's details with the mark of the accepted proof.
    package static let markName = "proof"

    private let store: any ConsentStore
    private let secrets: GuardianTransactionTokens
    private let vault: RequestVault
    private let verifier: any Verifier
    private let replays: ReplayGuard
    private let refusals: RefusalLog

    package init(
        store: any ConsentStore, secrets: GuardianTransactionTokens, vault: RequestVault, verifier: any Verifier,
        replays: ReplayGuard, refusals: RefusalLog
    ) {
        self.store = store
        self.secrets = secrets
        self.vault = vault
        self.verifier = verifier
        self.replays = replays
        self.refusals = refusals
    }

    /// Throws `DeviceFailure` for the device's faults, other errors for the server's.
    package func fetch(
        _ consent: ConsentID, transactionToken: String, proof: String, context: RequestContext
    ) async throws -> ConsentRecord {
        let (tenant, now) = (context.tenant, context.now)
        guard let transaction = secrets.transaction(of: transactionToken, tenant: tenant.id) else {
            throw DeviceFailure.invalidToken("not a transaction token of this tenant")
        }
        let (found, enrolled) = try await store.transaction(
            transaction.consent, device: transaction.device, tenant: tenant.id)
        guard let enrolled else { throw DeviceFailure.enrollmentNotFound }
        let device = enrolled.device
        let mark: String
        do throws(DeviceFailure) {
            mark = try check(proof, consent: consent, token: transactionToken, device: device, tenant: tenant, now: now)
            guard !enrolled.isUserBlocked else { throw .userBlocked }
            try Self.checkShown(found, as: consent, to: device, now: now)
        } catch {
            let event = context.event(
                .consentFetchFailed, user: device.user, client: found?.client, device: device.id,
                consent: transaction.consent,
                details: ["requestedRichConsentId": .string(String(consent.rawValue.prefix(64)))])
            try await refusals.device(event, of: device.id.rawValue, error)
            throw error
        }
        guard let found,
            let request = try await vault.open(found, for: .consent, as: transaction.digest, context: context)
        else { throw DeviceFailure.requestChanged }
        // Before the answer, so that the proof cannot be used after a restart either.
        try await store.record(
            context.event(
                .consentFetched, user: request.user, client: request.client, device: device.id, consent: consent,
                details: [Self.markName: .string(mark)]))
        return shown(request, to: device)
    }

    private static func checkShown(
        _ request: SealedRequest?, as consent: ConsentID, to device: Device, now: Timestamp
    ) throws(DeviceFailure) {
        guard let request, request.consentID == consent, request.user == device.user else {
            throw DeviceFailure(.consentNotFound, "The consent does not exist")
        }
        guard now < request.expiresAt, ![.expired, .undelivered].contains(request.state) else {
            throw DeviceFailure.transactionExpired
        }
    }

    /// RFC 9449 clause 4.3 as Guardian uses it: `MFA-DPoP` instead of `DPoP`, and the key must be the enrolled one.
    /// Returns the proof's mark.
    private func check(
        _ proof: String, consent: ConsentID, token: String, device: Device, tenant: Tenant, now: Timestamp
    ) throws(DeviceFailure) -> String {
        func refused(_ detail: String, advice: String? = nil) -> DeviceFailure {
            let reason = advice.map { ": \($0)" } ?? ""
            return DeviceFailure(
                .invalidProof, "The MFA-DPoP proof is not valid for this request\(reason)", detail: detail)
        }
        let payload: [UInt8]
        let type: String?
        do {
            let jws = try JWS(parsing: proof)
            guard try DPoPProof.key(in: jws.header).isSameKey(as: device.publicKey) else {
                throw refused("another key than the enrolled one")
            }
            payload = try jws.verified(
                by: device.publicKey, allowed: ResolveBackchannelRequest.algorithms, using: verifier)
            type = jws.type
        } catch let failure as DeviceFailure {
            throw failure
        } catch {
            throw refused("\(error)", advice: (error as? JWS.Failure).flatMap(DeviceAdvice.text))
        }
        // The device signed the proof, so it may learn which check failed.
        func advised(_ advice: String) -> DeviceFailure { refused(advice, advice: advice) }
        guard type == DPoPProof.type else { throw advised("typ must be \(DPoPProof.type)") }
        guard let claims = Claims(payload: payload) else { throw advised("the payload must be a JSON object") }
        let read: DPoPProof
        do { read = try DPoPProof(claims) } catch { throw advised("\(error)") }
        guard read.method == "GET" else { throw advised("htm must be GET") }
        let path = AppliancePath.richConsents + "/"
        guard PublicURL.matches(read.url, tenant: tenant, prefixes: [""], path: "\(path)\(consent)") else {
            throw advised("htu must be \(PublicURL.example(tenant, path)) and the consent's id, as in this request")
        }
        guard read.accessTokenHash == Base64URL.encode(vault.hashing.sha256(Array(token.utf8))) else {
            throw advised("ath must be the transaction token's SHA-256 in base64url")
        }
        guard read.issuedAt > now - Self.proofWindow, read.issuedAt < now + Self.proofWindow else {
            throw advised(DeviceAdvice.clock("iat", read.issuedAt, now: now))
        }
        guard read.identifier.utf8.count <= 256 else { throw advised("jti must have at most 256 bytes") }
        let mark = Base64URL.encode(vault.hashing.sha256(Array("\(device.id) \(read.identifier)".utf8)).prefix(16))
        let life = read.issuedAt + Self.proofWindow - now
        guard replays.firstUse(of: mark, life: life) else {
            throw advised("jti was used before; make a proof for each request")
        }
        return mark
    }

    /// Auth0's members beside the record that they are taken from.
    private func shown(_ request: BackchannelRequest, to device: Device) -> ConsentRecord {
        let record = request.record
        var descriptions: [String: String] = [:]
        for scope in record.scope { descriptions[scope.value] = scope.description }
        return ConsentRecord(
            id: record.id,
            requestedDetails: ConsentRecord.RequestedDetails(
                audience: record.audience.id, scope: record.scope.map(\.value),
                bindingMessage: secrets.message(of: request, to: device),
                authorizationDetails: record.authorizationDetails.isEmpty ? nil : record.authorizationDetails,
                authorizationDetailsID: request.authorizationDetails.map { value in
                    Base64URL.encode(vault.hashing.sha256(JSONWriter.bytes(value)).prefix(16))
                },
                scopeDescriptions: descriptions),
            client: ConsentRecord.Client(clientID: record.client.id, name: record.client.name), record: record.text,
            createdAt: record.createdAt, expiresAt: record.expiresAt)
    }
}

package protocol ConsentStore: AuditLog {
    /// The request and the device of a transaction. Nil for each that does not exist in the tenant.
    func transaction(
        _ consent: ConsentID, device: DeviceID, tenant: TenantID
    ) async throws -> (request: SealedRequest?, device: EnrolledDevice?)

    /// Proofs that were accepted at `moment` or later.
    func usedProofs(since moment: Timestamp, orBeforeLast life: Duration) async throws -> [UsedProof]
}
