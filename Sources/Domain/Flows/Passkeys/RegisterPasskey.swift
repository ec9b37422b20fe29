import Audit
package import AuthorizationCore
package import GuardianWire
import JOSE
import Primitives

/// Registers a person's first passkey by the key of a phone (WebAuthn Level 3, 7.1).
///
/// A phone's key makes a first passkey alone, and none that logs in. Otherwise somebody with an unlocked phone could make
/// their own beside the person's, and a passkey would prove no more than that key. `ChangeAccount` adds further ones.
package struct RegisterPasskey: Sendable {
    let store: any PasskeyStore & ApproverStore
    let ceremonies: PasskeyCeremonies
    let mail: MailComposer
    let budgets: AuditBudgets
    let refusals: RefusalLog

    package func options(for authenticated: AuthenticatedDevice, context: RequestContext) async throws -> PasskeyOptions
    {
        let device = authenticated.device
        let user = try await user(of: device)
        let passkeys = try await store.passkeys(of: user.id, tenant: device.tenant)
        return ceremonies.options(
            for: .phone(device.id), of: user, passkeys,
            mayRegister: passkeys.isEmpty && context.tenant.settings.passkeyRegistration == .phone, context)
    }

    /// Throws `DeviceFailure` for the device's faults, other errors for the server's.
    package func register(
        _ registration: PasskeyRegistration, of authenticated: AuthenticatedDevice, context: RequestContext
    ) async throws {
        let (device, tenant) = (authenticated.device, context.tenant)
        guard tenant.settings.passkeyRegistration == .phone else {
            try await refuse(.passkeyRegistered, device, context)
        }
        let made: (passkey: Passkey, challenge: UsedProof)
        do throws(PasskeyFailure) {
            made = try ceremonies.registered(registration, for: .phone(device.id), context)
        } catch {
            try await refuse(.invalidPasskey(error.description), device, context)
        }
        let user = try await user(of: device)
        let handle = ceremonies.challenges.handle(of: user.id, with: [], tenant: tenant.id)
        let passkey = OwnedPasskey(
            made.passkey, of: user.id, handle: handle, device: device.id, name: device.name, logsIn: false,
            createdAt: context.now)
        let event = context.event(
            .passkeyRegistered, charge: try budgets.draw(on: .phones(of: user.id), context), user: user.id,
            device: device.id, details: passkey.auditDetails)
        let new = NewPasskey(
            passkey, challenge: made.challenge, event: event,
            notice: try mail.passkeyAdded(passkey, to: user, context))
        guard try await store.register(new, tenant: tenant.id) else {
            try await refuse(.passkeyRegistered, device, context)
        }
    }

    private func user(of device: Device) async throws -> User {
        guard let user = try await store.approver(.id(device.user), tenant: device.tenant)?.user else {
            throw DeviceFailure.enrollmentNotFound
        }
        return user
    }

    private func refuse(_ failure: DeviceFailure, _ device: Device, _ context: RequestContext) async throws -> Never {
        let refusal = context.refusal(.passkeyRefused, user: device.user, device: device.id)
        try await refusals.device(refusal, of: device.id.rawValue, failure)
        throw failure
    }
}

extension OwnedPasskey {
    /// Facts for the audit log, by which its readers verify receipts.
    var auditDetails: JSONObject {
        [
            "credential_id": .string(Base64URL.encode(passkey.id)), "rp_id": .string(passkey.relyingParty),
            "jwk": passkey.publicKey.json, "logs_in": .bool(logsIn),
        ]
    }
}

extension DeviceFailure {
    static func invalidPasskey(_ problem: String) -> DeviceFailure {
        DeviceFailure(.invalidPasskey, "The passkey is refused: \(problem)")
    }

    static let passkeyRegistered = DeviceFailure(
        .passkeyRegistered,
        "This phone's key registers no passkey: the person has one, somebody else has this one, or the tenant lets no phone "
            + "do so. People add and remove passkeys on the account page, /account")
}
