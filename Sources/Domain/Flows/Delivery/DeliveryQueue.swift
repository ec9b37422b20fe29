/// Kind of delivery, by its name in the store and in metrics.
package enum DeliveryQueue: String, Sendable, CaseIterable {
    /// To devices: a request to decide, or its withdrawal (`DeviceNotice`).
    case notifications
    case mail
    /// To clients (OIDC Back-Channel Logout 1.0).
    case logoutNotices = "logout_notices"
}
