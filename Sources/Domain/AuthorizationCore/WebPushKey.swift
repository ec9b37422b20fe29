/// A tenant's key, by which push services know who sends (VAPID, RFC 8292), its private half sealed.
///
/// Browsers bind their subscriptions to it, so it is made once and never rotated.
package struct WebPushKey: Sendable, Equatable {
    package let tenant: TenantID
    /// PKCS #8, sealed with `WebPushKey.sealingContext(tenant:)`.
    package let sealedPrivateKey: [UInt8]

    package init(tenant: TenantID, sealedPrivateKey: [UInt8]) {
        self.tenant = tenant
        self.sealedPrivateKey = sealedPrivateKey
    }

    package static func sealingContext(tenant: TenantID) -> String { "web-push-key/\(tenant)" }
}
