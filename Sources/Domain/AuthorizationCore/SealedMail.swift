public import Primitives

/// A mail that waits in the store. It is sealed, since it may hold a link that lets its reader in.
public struct SealedMail: Sendable, Equatable {
    public let tenant: TenantID
    /// JSON of `to`, `subject` and `text`, sealed with `SealedMail.sealingContext(tenant:)`.
    public let sealed: [UInt8]
    public let createdAt: Timestamp
    /// When it is of no more use.
    public let expiresAt: Timestamp

    public init(tenant: TenantID, sealed: [UInt8], createdAt: Timestamp, expiresAt: Timestamp) {
        self.tenant = tenant
        self.sealed = sealed
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    public static func sealingContext(tenant: TenantID) -> String { "mail/\(tenant)" }
}
