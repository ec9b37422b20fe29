import AuthorizationCore

/// Addresses of the push services. Only the operator changes them: for a gateway, or for a private network.
package struct PushAddresses: Sendable, Equatable {
    package var apple = "https://api.push.apple.com"
    package var appleSandbox = "https://api.sandbox.push.apple.com"
    package var google = "https://fcm.googleapis.com"
    package var googleTokens = FCMCredentials.tokenURI
    /// Nil means the address of the tenant's region.
    package var amazon: String?

    package init() {}
}
