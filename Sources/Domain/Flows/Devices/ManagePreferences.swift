package import Audit
package import AuthorizationCore
package import GuardianWire
import Primitives

/// Reads and changes a person's preferences for all of their phones, at the request of one of them.
package struct ManagePreferences: Sendable {
    let store: any PreferenceStore
    let budgets: AuditBudgets

    package func preferences(_ authenticated: AuthenticatedDevice) async throws -> PhonePreferences {
        let device = authenticated.device
        return try await store.preferences(of: device.user, tenant: device.tenant)
    }

    /// Throws `DeviceFailure` if the device was removed meanwhile, or its user blocked.
    package func replace(
        with preferences: PhonePreferences, by authenticated: AuthenticatedDevice, context: RequestContext
    ) async throws {
        let device = authenticated.device
        let event = context.event(
            .deviceUpdated, charge: try budgets.draw(on: .phones(of: device.user), context), user: device.user,
            device: device.id, details: ["changed": ["quiet_hours"]])
        guard try await store.put(preferences, by: device.id, tenant: device.tenant, event: event) else {
            throw DeviceFailure.enrollmentNotFound
        }
    }
}

/// Store port for people's preferences.
package protocol PreferenceStore: Sendable {
    /// The user's preferences. The defaults if none are stored.
    func preferences(of user: UserID, tenant: TenantID) async throws -> PhonePreferences

    /// Replaces the preferences of the device's user. False, without a change, if the device was removed or its user
    /// is blocked.
    func put(
        _ preferences: PhonePreferences, by device: DeviceID, tenant: TenantID, event: AuditEvent
    ) async throws -> Bool
}
