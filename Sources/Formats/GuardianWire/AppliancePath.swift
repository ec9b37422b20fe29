/// Paths of the device endpoints, below the base of the device API.
package enum AppliancePath: String, Sendable, CaseIterable {
    case enroll = "/api/enroll"
    case resolveTransaction = "/api/resolve-transaction"
    case deviceAccounts = "/api/device-accounts"
    case notifications = "/api/notifications"

    /// Path of the device API's base. Hosts that serve Guardian alone have none.
    package static let base = "/appliance-mfa"
    /// Path of the consent API, which is not below the base.
    package static let richConsents = "/rich-consents"
}
