package import Primitives

/// A mail that waits in the store. It is sealed, since it may hold a link that lets its reader in.
package struct SealedMail: Sendable, Equatable {
    package let tenant: TenantID
    /// JSON of `to`, `subject` and `text`, sealed with `SealedMail.sealingContext(tenant:)`.
    package let sealed: [UInt8]
    package let createdAt: Timestamp
    /// When it is of no more use.
    package let expiresAt: Timestamp

    package init(tenant: TenantID, sealed: [UInt8], createdAt: Timestamp, expiresAt: Timestamp) {
        self.tenant = tenant
        self.sealed = sealed
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    package static func sealingContext(tenant: TenantID) -> String { "mail/\(tenant)" }
}
