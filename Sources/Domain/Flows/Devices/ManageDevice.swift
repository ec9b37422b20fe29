import Audit
package import AuthorizationCore
package import GuardianWire
import HTTPModel
import JOSE
import Primitives

/// Changes a device's own enrolment (Guardian: `api/device-accounts/{id}`).
package struct ManageDevice: Sendable {
    let store: any EnrollmentStore & ApproverStore
    let verifier: any Verifier
    let budgets: AuditBudgets
    /// Limits the push services that a device may name.
    let outgoing: OutgoingPolicy

    /// Throws `DeviceFailure` for the device's faults, other errors for the server's.
    package func update(
        _ authenticated: AuthenticatedDevice, with update: DeviceAccountUpdate, context: RequestContext
    ) async throws -> Device {
        try DeviceDescription.check(identifier: update.identifier, name: update.name, push: update.pushCredentials)
        try DeviceDescription.check(update.pushCredentials, outgoing: outgoing, verifier: verifier)
        let device = authenticated.device
        let changes = update.changes(of: device)
        guard !changes.isEmpty else { return device }
        // Guardian's apps renew their push token with the opaque token. Without `number-matching` a phone answers
        // without a number, and under another identifier it verifies as no answer that it signed.
        let needsKey = changes.contains { $0 != "name" && $0 != "push_credentials" }
        guard !needsKey || authenticated.provedKey else { throw DeviceFailure.needsKey }
        let budget: AuditBudgets.Actor = authenticated.provedKey ? .phones(of: device.user) : .keyless(device.id)
        let event = context.event(
            .deviceUpdated, charge: try budgets.draw(on: budget, context), user: device.user,
            device: device.id, details: ["changed": .array(changes.map { .string($0) })])
        switch try await store.update(device.id, tenant: device.tenant, with: update, event: event) {
        case .updated(let changed): return changed
        case .gone: throw DeviceFailure.enrollmentNotFound
        case .identifierTaken: throw DeviceFailure.identifierTaken
        }
    }

    /// All phones of the device's user, in the order of their enrolment.
    package func devices(_ authenticated: AuthenticatedDevice) async throws -> DeviceList {
        let current = authenticated.device
        guard let user = try await store.approver(.id(current.user), tenant: current.tenant)?.user else {
            throw DeviceFailure.enrollmentNotFound
        }
        return DeviceList(
            try await store.devices(of: current.user, tenant: current.tenant).map { owned in
                DeviceList.Element(
                    id: owned.device.id.rawValue, name: owned.device.name, enrolledAt: owned.device.enrolledAt,
                    push: owned.device.push?.service, hasPasskey: owned.hasPasskey,
                    isLost: owned.device.keyLostAt != nil, isCurrent: owned.device.id == current.id)
            }, account: user.accountName)
    }

    package func remove(_ authenticated: AuthenticatedDevice, context: RequestContext) async throws {
        guard authenticated.provedKey else { throw DeviceFailure.needsKey }
        let device = authenticated.device
        let event = context.event(.unenrolled, charge: .once(.device), user: device.user, device: device.id)
        guard try await store.remove(device.id, tenant: device.tenant, event: event) else {
            throw DeviceFailure.enrollmentNotFound
        }
    }
}

extension DeviceAccountUpdate {
    /// Members that would change the device.
    fileprivate func changes(of device: Device) -> [String] {
        var names: [String] = []
        if let identifier, identifier != device.identifier { names.append("identifier") }
        if let name, name != device.name { names.append("name") }
        if push(after: device.push) != device.push { names.append("push_credentials") }
        if let capabilities, capabilities != device.capabilities { names.append("capabilities") }
        return names
    }
}
