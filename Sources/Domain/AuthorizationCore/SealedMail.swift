package import Primitives

/// Mail that waits in the store, sealed because it may hold a link that logs its reader in.
package struct SealedMail: Sendable, Equatable {
    package let tenant: TenantID
    /// The person, for administrators. Nil for an address that may be a stranger's.
    package let user: UserID?
    /// The mail and its values for templates in JSON, sealed with `Delivery.sealingContext(tenant:)`.
    package let sealed: [UInt8]
    package let createdAt: Timestamp
    /// Time after which the mail is not sent.
    package let expiresAt: Timestamp

    package init(
        tenant: TenantID, user: UserID? = nil, sealed: [UInt8], createdAt: Timestamp, expiresAt: Timestamp
    ) {
        self.tenant = tenant
        self.user = user
        self.sealed = sealed
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
