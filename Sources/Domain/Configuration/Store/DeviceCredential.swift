package import AuthorizationCore
package import Primitives

/// A public key that an application stores for a user's device. Not a Guardian phone.
package struct DeviceCredential: Sendable, Equatable {
    /// `dcr_` and 16 characters.
    package let id: String
    package let user: UserID
    package let client: ClientID?
    package let deviceID: String
    package let deviceName: String
    package let value: String
    package let createdAt: Timestamp

    package init(
        id: String, user: UserID, client: ClientID?, deviceID: String, deviceName: String, value: String,
        createdAt: Timestamp
    ) {
        self.id = id
        self.user = user
        self.client = client
        self.deviceID = deviceID
        self.deviceName = deviceName
        self.value = value
        self.createdAt = createdAt
    }
}
