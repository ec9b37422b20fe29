import ApprovalWire
package import Audit
package import AuthorizationCore
package import GuardianWire
package import JOSE
package import Primitives

/// Registers the passkey of a device, one for each enrolment (WebAuthn Level 2, 7.1).
///
/// A registered passkey is never replaced: otherwise somebody with the device's key alone could do so, and a passkey
/// would prove no more than that key. A phone that is enrolled again registers another.
package struct RegisterPasskey: Sendable {
    private let store: any PasskeyStore & ApproverStore
    private let verifier: any PasskeyVerifier
    private let keys: any Verifier
    private let challenges: PasskeyChallenges
    private let hashing: any Hashing
    private let refusals: RefusalLog

    package init(
        store: any PasskeyStore & ApproverStore, verifier: any PasskeyVerifier, keys: any Verifier,
        challenges: PasskeyChallenges, hashing: any Hashing, refusals: RefusalLog
    ) {
        self.store = store
        self.verifier = verifier
        self.keys = keys
        self.challenges = challenges
        self.hashing = hashing
        self.refusals = refusals
    }

    package func options(for authenticated: AuthenticatedDevice, context: RequestContext) async throws -> PasskeyOptions
    {
        let device = authenticated.device
        let passkey = try await store.passkey(of: device.id, tenant: device.tenant)
        guard let user = try await store.approver(.id(device.user), tenant: device.tenant)?.user else {
            throw DeviceFailure.enrollmentNotFound
        }
        return PasskeyOptions(
            challenge: Base64URL.encode(challenges.challenge(for: device, at: context.now)),
            relyingParty: passkey?.relyingParty ?? Tenant.name(ofAuthority: context.tenant.host),
            userID: Base64URL.encode(hashing.sha256(Array(device.id.rawValue.utf8))),
            userName: user.accountName, credentialID: passkey?.id)
    }

    /// Throws `DeviceFailure` for the device's faults, other errors for the server's.
    package func register(
        _ registration: PasskeyRegistration, of authenticated: AuthenticatedDevice, context: RequestContext
    ) async throws {
        let device = authenticated.device
        let passkey: Passkey
        do throws(DeviceFailure) {
            passkey = try accepted(registration, device, context)
        } catch {
            try await refuse(error, device, context)
        }
        let event = context.event(
            .passkeyRegistered, charge: .once(.device), user: device.user, device: device.id,
            details: [
                "credential_id": .string(Base64URL.encode(passkey.id)), "rp_id": .string(passkey.relyingParty),
                "jwk": passkey.publicKey.json,
            ])
        guard try await store.register(passkey, of: device.id, tenant: device.tenant, event: event) else {
            try await refuse(.passkeyRegistered, device, context)
        }
    }

    private func refuse(_ failure: DeviceFailure, _ device: Device, _ context: RequestContext) async throws -> Never {
        let refusal = context.refusal(.passkeyRefused, user: device.user, device: device.id)
        try await refusals.device(refusal, of: device.id.rawValue, failure)
        throw failure
    }

    private func accepted(
        _ registration: PasskeyRegistration, _ device: Device, _ context: RequestContext
    ) throws(DeviceFailure) -> Passkey {
        let client: PasskeyClientData
        do {
            client = try PasskeyClientData(parsing: registration.clientDataJSON, of: .registration)
        } catch { throw DeviceFailure.invalidPasskey("\(error)") }
        guard challenges.isValid(client.challenge, for: device, at: context.now) else {
            throw DeviceFailure.invalidPasskey(
                "the challenge must be one that this device was given in the last five minutes")
        }
        let host = Tenant.name(ofAuthority: context.tenant.host)
        let passkey: Passkey
        guard context.tenant.isOrigin(client.origin, of: host) else {
            throw DeviceFailure.invalidPasskey("the origin must be https://\(context.tenant.host)")
        }
        do {
            passkey = try verifier.passkey(
                attestationObject: registration.attestationObject,
                clientDataHash: hashing.sha256(registration.clientDataJSON), relyingParty: host)
        } catch { throw DeviceFailure.invalidPasskey(error.description) }
        // Reading a stored key fails for some that libfido2 takes.
        guard (try? JWK(passkey.publicKey.json)) != nil, keys.isUsable(passkey.publicKey) else {
            throw DeviceFailure.invalidPasskey("its key is not a point of its curve or no RSA key of 2048 bits")
        }
        return passkey
    }
}

extension Tenant {
    /// True if the origin is of a page of this tenant at that host, at any of its ports.
    func isOrigin(_ origin: String, of host: String) -> Bool {
        hosts.contains { Tenant.name(ofAuthority: $0) == host && origin == "https://\($0)" }
    }
}

extension DeviceFailure {
    static func invalidPasskey(_ problem: String) -> DeviceFailure {
        DeviceFailure(.invalidPasskey, "The passkey is refused: \(problem)")
    }

    static let passkeyRegistered = DeviceFailure(
        .passkeyRegistered,
        "This device has a passkey, or another device has this one. Enrol the phone again to register a new one")
}
