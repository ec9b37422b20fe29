public import GuardianWire
public import JOSE
public import Primitives

/// A phone that a user enrolled (Guardian: enrolment, device account).
public struct Device: Sendable, Equatable {
    public let id: DeviceID
    public let tenant: TenantID
    public let user: UserID
    /// What the phone calls itself (`identifierForVendor`, `ANDROID_ID`): `iss` of its signed decisions.
    public var identifier: String
    public var name: String
    /// The key that signs decisions.
    public var publicKey: JWK
    /// Nil for a device that only listens to the device channel.
    public var push: PushCredentials?
    public var enrolledAt: Timestamp

    public init(
        id: DeviceID, tenant: TenantID, user: UserID, identifier: String, name: String, publicKey: JWK,
        push: PushCredentials?, enrolledAt: Timestamp
    ) {
        self.id = id
        self.tenant = tenant
        self.user = user
        self.identifier = identifier
        self.name = name
        self.publicKey = publicKey
        self.push = push
        self.enrolledAt = enrolledAt
    }
}
