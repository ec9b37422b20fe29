package import GuardianWire
package import JOSE
package import Primitives

/// A phone that a user enrolled (Guardian: enrolment, device account).
package struct Device: Sendable, Equatable {
    package let id: DeviceID
    package let tenant: TenantID
    package let user: UserID
    /// The phone's name for itself (`identifierForVendor`, `ANDROID_ID`): `iss` of its signed decisions.
    package var identifier: String
    package var name: String
    /// The key that signs decisions.
    package var publicKey: JWK
    /// Nil for a device that only listens to the device channel.
    package var push: PushCredentials?
    package var enrolledAt: Timestamp
    /// Empty for Guardian's own apps.
    package var capabilities: Set<DeviceCapability>

    package init(
        id: DeviceID, tenant: TenantID, user: UserID, identifier: String, name: String, publicKey: JWK,
        push: PushCredentials?, enrolledAt: Timestamp, capabilities: Set<DeviceCapability> = []
    ) {
        self.id = id
        self.tenant = tenant
        self.user = user
        self.identifier = identifier
        self.name = name
        self.publicKey = publicKey
        self.push = push
        self.enrolledAt = enrolledAt
        self.capabilities = capabilities
    }
}
