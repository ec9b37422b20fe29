import ApprovalWire
import AuthorizationCore
import GuardianWire
import Primitives

/// Checks the assertion that belongs to an answer (WebAuthn Level 3, 7.2).
package struct PasskeyAnswers: Sendable {
    /// An assertion that holds.
    struct Accepted: Sendable {
        let evidence: ApprovalEvidence.Passkey
        let use: PasskeyUse
    }

    let store: any PasskeyStore
    let ceremonies: PasskeyCeremonies

    /// The passkey of the device's person that made the assertion, whichever phone or page registered it.
    func passkey(for assertion: PasskeyAssertion?, of device: Device) async throws -> Passkey? {
        guard let assertion,
            let owned = try await store.passkey(assertion.credentialID, tenant: device.tenant),
            owned.user == device.user
        else { return nil }
        return owned.passkey
    }

    /// Nil for an assertion beside a rejection, which needs no proof, and without one. An approval's assertion is checked
    /// even if nothing demands it. Its challenge is the digest of the record, so it belongs to that request alone.
    func accepted(
        _ assertion: PasskeyAssertion?, by passkey: Passkey?, for request: BackchannelRequest,
        _ answer: ChallengeResponse, tenant: Tenant
    ) throws(DeviceFailure) -> Accepted? {
        guard let assertion, answer.accepted else { return nil }
        let use = try use(of: assertion, by: passkey, at: tenant, for: "the 32 bytes of request_digest") {
            constantTimeEquals($0, request.digest.bytes)
        }
        // `use` demanded it.
        guard let passkey else { return nil }
        return Accepted(
            evidence: ApprovalEvidence.Passkey(
                relyingParty: passkey.relyingParty, publicKey: passkey.publicKey, assertion: assertion),
            use: use)
    }

    /// The use of a passkey by an assertion that holds, for the caller's challenge. `expected` says which one that is.
    func use(
        of assertion: PasskeyAssertion, by passkey: Passkey?, at tenant: Tenant, for expected: String,
        isChallenge: (_ challenge: [UInt8]) -> Bool
    ) throws(DeviceFailure) -> PasskeyUse {
        guard let passkey else { throw .invalidPasskey("credential_id must be that of a passkey of this person") }
        do throws(PasskeyFailure) {
            let client = try ceremonies.asserted(assertion)
            guard isChallenge(client.challenge) else {
                throw PasskeyFailure("the challenge must be \(expected)")
            }
            return try ceremonies.use(of: assertion, client, by: passkey, at: tenant)
        } catch { throw .invalidPasskey(error.description) }
    }
}

extension DeviceFailure {
    static let passkeyCountWentBack = invalidPasskey(PasskeyFailure.countWentBack.description)
    static let passkeyRequired = DeviceFailure(
        .passkeyRequired,
        "This request is allowed only with an assertion of a passkey of its person, in the member passkey")
}
