public import JOSE
public import Primitives

/// A tenant's signing key as it is stored: the private half sealed.
public struct SigningKey: Sendable, Equatable {
    /// next → current → previous; revoked keys are no longer published and verify nothing.
    public enum Status: String, Sendable, CaseIterable {
        case next, current, previous, revoked
    }

    public let id: SigningKeyID
    public let tenant: TenantID
    public let algorithm: JWSAlgorithm
    public var status: Status
    /// PKCS #8, sealed with `SigningKey.sealingContext(tenant:id:)`.
    public let sealedPrivateKey: [UInt8]
    public let publicKey: JWK
    public let createdAt: Timestamp
    public var changedAt: Timestamp

    public init(
        id: SigningKeyID, tenant: TenantID, algorithm: JWSAlgorithm, status: Status, sealedPrivateKey: [UInt8],
        publicKey: JWK, createdAt: Timestamp, changedAt: Timestamp
    ) {
        self.id = id
        self.tenant = tenant
        self.algorithm = algorithm
        self.status = status
        self.sealedPrivateKey = sealedPrivateKey
        self.publicKey = publicKey
        self.createdAt = createdAt
        self.changedAt = changedAt
    }

    /// What the sealed box is bound to, so that a row cannot be moved to another tenant or id.
    public static func sealingContext(tenant: TenantID, id: SigningKeyID) -> String {
        "signing-key/\(tenant)/\(id)"
    }
}
