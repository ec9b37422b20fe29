import ApprovalWire
package import Audit
package import AuthorizationCore
package import GuardianWire
import JOSE
package import Primitives

/// Reads the request that a device shows before the user decides (Guardian: `rich-consents`).
package struct FetchConsent: Sendable {
    /// Longest distance of a proof's `iat` from now.
    static let proofWindow = Duration.seconds(60)

    let store: any ConsentStore
    let secrets: GuardianTransactionTokens
    let vault: RequestVault
    let verifier: any Verifier
    let budgets: AuditBudgets
    let refusals: RefusalLog

    /// Throws `DeviceFailure` for the device's faults, other errors for the server's.
    package func fetch(
        _ consent: ConsentID, transactionToken: String, proof presented: String, context: RequestContext
    ) async throws -> ConsentRecord {
        let (tenant, now) = (context.tenant, context.now)
        guard let transaction = secrets.transaction(of: transactionToken, tenant: tenant.id) else {
            throw DeviceFailure.invalidToken("not a transaction token of this tenant")
        }
        let (found, enrolled) = try await store.transaction(
            transaction.consent, device: transaction.device, tenant: tenant.id)
        guard let enrolled else { throw DeviceFailure.enrollmentNotFound }
        let device = enrolled.device
        func refuse(_ failure: DeviceFailure) async throws -> Never {
            let refusal = context.refusal(
                .consentFetchFailed, user: device.user, client: found?.client, device: device.id,
                consent: transaction.consent,
                details: ["requestedRichConsentId": .string(String(consent.rawValue.prefix(64)))])
            try await refusals.device(refusal, of: device.id.rawValue, failure)
            throw failure
        }
        let proof: UsedProof
        do throws(DeviceFailure) {
            proof = try checked(
                presented, consent: consent, token: transactionToken, device: device, tenant: tenant, now: now)
            guard !enrolled.isUserBlocked else { throw .userBlocked }
            try Self.checkShown(found, as: consent, to: device, now: now)
        } catch {
            try await refuse(error)
        }
        guard let found,
            let request = try await vault.open(found, for: .consent, as: transaction.digest, context: context)
        else { throw DeviceFailure.requestChanged }
        let event = context.event(
            .consentFetched, charge: try budgets.draw(on: .device(device.id), context), user: request.user,
            client: request.client, device: device.id, consent: consent)
        // Before the answer, so that nobody uses the proof again, here or at another node.
        guard try await store.read(consent, with: proof, event: event) else {
            try await refuse(Self.refused("jti was used before; make a proof for each request"))
        }
        return shown(request, to: device)
    }

    private static func checkShown(
        _ request: SealedRequest?, as consent: ConsentID, to device: Device, now: Timestamp
    ) throws(DeviceFailure) {
        guard let request, request.consentID == consent, request.user == device.user else {
            throw DeviceFailure(.consentNotFound, "The consent does not exist")
        }
        guard now < request.expiresAt, ![.expired, .undelivered, .superseded].contains(request.state) else {
            throw DeviceFailure.transactionExpired
        }
    }

    /// RFC 9449 clause 4.3 as Guardian uses it: `MFA-DPoP` instead of `DPoP`, and the key must be the enrolled one.
    private func checked(
        _ proof: String, consent: ConsentID, token: String, device: Device, tenant: Tenant, now: Timestamp
    ) throws(DeviceFailure) -> UsedProof {
        let payload: [UInt8]
        let type: String?
        do {
            let jws = try JWS(parsing: proof)
            guard try DPoPProof.key(in: jws.header).isSameKey(as: device.publicKey) else {
                throw Self.refused("another key than the enrolled one", advice: nil)
            }
            payload = try jws.verified(
                by: device.publicKey, allowed: ResolveBackchannelRequest.algorithms, using: verifier)
            type = jws.type
        } catch let failure as DeviceFailure {
            throw failure
        } catch {
            throw Self.refused("\(error)", advice: (error as? JWS.Failure).flatMap(DeviceAdvice.text))
        }
        guard type == DPoPProof.type else { throw Self.refused("typ must be \(DPoPProof.type)") }
        guard let claims = Claims(payload: payload) else { throw Self.refused("the payload must be a JSON object") }
        let read: DPoPProof
        do { read = try DPoPProof(claims) } catch { throw Self.refused("\(error)") }
        guard read.method == "GET" else { throw Self.refused("htm must be GET") }
        let path = AppliancePath.richConsents + "/"
        guard PublicURL.matches(read.url, tenant: tenant, prefixes: [""], path: "\(path)\(consent)") else {
            throw Self.refused(
                "htu must be \(PublicURL.example(tenant, path)) and the consent's id, as in this request")
        }
        guard read.accessTokenHash == Base64URL.encode(vault.hashing.sha256(Array(token.utf8))) else {
            throw Self.refused("ath must be the transaction token's SHA-256 in base64url")
        }
        guard read.issuedAt > now - Self.proofWindow, read.issuedAt < now + Self.proofWindow else {
            throw Self.refused(DeviceAdvice.clock("iat", read.issuedAt, now: now))
        }
        guard read.identifier.utf8.count <= 256 else { throw Self.refused("jti must have at most 256 bytes") }
        return UsedProof(
            hash: vault.hashing.sha256(Array("\(device.id) \(read.identifier)".utf8)),
            expiresAt: read.issuedAt + Self.proofWindow)
    }

    /// The device signed the proof, so it may learn which check failed.
    private static func refused(_ advice: String) -> DeviceFailure { refused(advice, advice: advice) }

    private static func refused(_ detail: String, advice: String?) -> DeviceFailure {
        let reason = advice.map { ": \($0)" } ?? ""
        return DeviceFailure(
            .invalidProof, "The MFA-DPoP proof is not valid for this request\(reason)", detail: detail)
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

/// A proof that is accepted once.
package struct UsedProof: Sendable, Equatable {
    /// SHA-256 of a device and its proof's `jti`, or of a challenge.
    package let hash: [UInt8]
    /// Time from which it is refused anyway.
    package let expiresAt: Timestamp

    package init(hash: [UInt8], expiresAt: Timestamp) {
        self.hash = hash
        self.expiresAt = expiresAt
    }
}

package protocol ConsentStore: Sendable {
    /// The request and the device of a transaction. Nil for each that does not exist in the tenant.
    func transaction(
        _ consent: ConsentID, device: DeviceID, tenant: TenantID
    ) async throws -> (request: SealedRequest?, device: EnrolledDevice?)

    /// Uses the proof up. Keeps `event` if the log has no entry of that device's reading yet. False, with nothing kept,
    /// if the proof was used before.
    func read(_ consent: ConsentID, with proof: UsedProof, event: AuditEvent) async throws -> Bool
}
