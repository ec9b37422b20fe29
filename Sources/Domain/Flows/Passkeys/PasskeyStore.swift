package import Audit
package import AuthorizationCore

/// Store port for passkeys of devices.
package protocol PasskeyStore: Sendable {
    /// Nil if the device has none.
    func passkey(of device: DeviceID, tenant: TenantID) async throws -> Passkey?

    /// Stores the passkey of a device that has none, with the audit event. False if the device has one or was removed,
    /// or if the passkey belongs to another device (WebAuthn 7.1).
    func register(_ passkey: Passkey, of device: DeviceID, tenant: TenantID, event: AuditEvent) async throws -> Bool
}

/// A passkey's count after a decision, which is stored with it.
package struct PasskeyUse: Sendable, Equatable {
    package let id: [UInt8]
    package let signCount: UInt32

    package init(id: [UInt8], signCount: UInt32) {
        self.id = id
        self.signCount = signCount
    }
}
