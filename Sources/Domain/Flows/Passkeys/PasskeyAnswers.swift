import ApprovalWire
package import AuthorizationCore
import GuardianWire
package import Primitives

/// Checks the assertion that belongs to an answer (WebAuthn Level 2, 7.2).
package struct PasskeyAnswers: Sendable {
    /// An assertion that holds.
    struct Accepted: Sendable {
        let evidence: ApprovalEvidence.Passkey
        let use: PasskeyUse
    }

    private let store: any PasskeyStore
    private let verifier: any PasskeyVerifier
    private let hashing: any Hashing

    package init(store: any PasskeyStore, verifier: any PasskeyVerifier, hashing: any Hashing) {
        self.store = store
        self.verifier = verifier
        self.hashing = hashing
    }

    /// The device's passkey, if the answer has an assertion to check.
    func passkey(for assertion: PasskeyAssertion?, of device: Device) async throws -> Passkey? {
        guard assertion != nil else { return nil }
        return try await store.passkey(of: device.id, tenant: device.tenant)
    }

    /// Nil for an assertion beside a rejection, which needs no proof, and without one. An approval's assertion is checked
    /// even if nothing demands it. Its challenge is the digest of the record, so it belongs to that request alone.
    func accepted(
        _ assertion: PasskeyAssertion?, by passkey: Passkey?, for request: BackchannelRequest,
        _ answer: ChallengeResponse, tenant: Tenant
    ) throws(DeviceFailure) -> Accepted? {
        guard let assertion, answer.accepted else { return nil }
        guard let passkey, passkey.id == assertion.credentialID else {
            throw .invalidPasskey("credential_id must be that of the passkey that this device registered")
        }
        let client: PasskeyClientData
        do {
            client = try PasskeyClientData(parsing: assertion.clientDataJSON, of: .assertion)
        } catch { throw .invalidPasskey("\(error)") }
        guard constantTimeEquals(client.challenge, request.digest.bytes) else {
            throw .invalidPasskey("the challenge must be the 32 bytes of request_digest")
        }
        guard tenant.isOrigin(client.origin, of: passkey.relyingParty) else {
            throw .invalidPasskey("the origin must be a page of this tenant at \(passkey.relyingParty)")
        }
        let signCount: UInt32
        do {
            signCount = try verifier.signCount(
                authenticatorData: assertion.authenticatorData, signature: assertion.signature,
                clientDataHash: hashing.sha256(assertion.clientDataJSON), by: passkey)
        } catch { throw .invalidPasskey(error.description) }
        guard passkey.allows(signCount: signCount) else { throw .passkeyCountWentBack }
        return Accepted(
            evidence: ApprovalEvidence.Passkey(
                relyingParty: passkey.relyingParty, publicKey: passkey.publicKey, assertion: assertion),
            use: PasskeyUse(id: passkey.id, signCount: signCount))
    }
}

extension DeviceFailure {
    static let passkeyCountWentBack = invalidPasskey(
        "its signature count must grow; the authenticator may have been copied")
    static let passkeyRequired = DeviceFailure(
        .passkeyRequired,
        "This request is allowed only with an assertion of the device's passkey, in the member passkey")
}
