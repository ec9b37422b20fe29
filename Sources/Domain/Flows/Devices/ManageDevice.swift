package import AuthorizationCore
package import GuardianWire
package import Primitives

/// Changes a device's own enrolment (Guardian: `api/device-accounts/{id}`).
package struct ManageDevice: Sendable {
    private let store: any EnrollmentStore

    package init(store: any EnrollmentStore) { self.store = store }

    /// Throws `DeviceFailure` for what the device did, anything else for what failed here.
    package func update(
        _ authenticated: AuthenticatedDevice, with update: DeviceAccountUpdate, remoteAddress: String, now: Timestamp
    ) async throws -> Device {
        try DeviceDescription.check(identifier: update.identifier, name: update.name, push: update.pushCredentials)
        let device = authenticated.device
        let event = AuditEvent(
            .deviceUpdated, tenant: device.tenant, at: now, user: device.user, device: device.id,
            remoteAddress: remoteAddress)
        switch try await store.update(device.id, tenant: device.tenant, with: update, event: event) {
        case .updated(let changed): return changed
        case .gone: throw DeviceFailure.enrollmentNotFound
        case .identifierTaken: throw DeviceFailure.identifierTaken
        }
    }

    package func remove(_ authenticated: AuthenticatedDevice, remoteAddress: String, now: Timestamp) async throws {
        let device = authenticated.device
        let event = AuditEvent(
            .unenrolled, tenant: device.tenant, at: now, user: device.user, device: device.id,
            remoteAddress: remoteAddress)
        guard try await store.remove(device.id, tenant: device.tenant, event: event) else {
            throw DeviceFailure.enrollmentNotFound
        }
    }
}
