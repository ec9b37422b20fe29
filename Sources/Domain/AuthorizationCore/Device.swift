package import GuardianWire
package import JOSE
package import Primitives

/// A push service's refusal of a device, which gets its requests by the device channel alone since then.
package struct EndedPush: Sendable, Equatable {
    package let service: PushCredentials.Service
    package let at: Timestamp
    package let reason: String

    package init(_ service: PushCredentials.Service, at: Timestamp, reason: String) {
        self.service = service
        self.at = at
        self.reason = reason
    }
}

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
    /// Nil unless the push service refused the device's credentials, and the device has set no others since.
    package var endedPush: EndedPush?
    /// Time at which the phone said that its key is gone. Nil while it has the key: nothing is sent to it until it proves
    /// the key again.
    package var keyLostAt: Timestamp?
    /// Time at which the device last sent its push credentials, also if they were the same.
    package var pushRegisteredAt: Timestamp
    package var enrolledAt: Timestamp
    /// Empty for Guardian's own apps.
    package var capabilities: Set<DeviceCapability>

    package init(
        id: DeviceID, tenant: TenantID, user: UserID, identifier: String, name: String, publicKey: JWK,
        push: PushCredentials?, enrolledAt: Timestamp, capabilities: Set<DeviceCapability> = [],
        pushRegisteredAt: Timestamp? = nil
    ) {
        self.id = id
        self.tenant = tenant
        self.user = user
        self.identifier = identifier
        self.name = name
        self.publicKey = publicKey
        self.push = push
        self.pushRegisteredAt = pushRegisteredAt ?? enrolledAt
        self.enrolledAt = enrolledAt
        self.capabilities = capabilities
    }
}
