public import AuthorizationCore
public import JOSE
public import Primitives

/// Makes signing keys with their private halves sealed.
public protocol SigningKeyFactory: Sendable {
    /// Throws what key generation or sealing throws.
    func make(
        _ algorithm: JWSAlgorithm, tenant: TenantID, status: SigningKey.Status, now: Timestamp
    ) throws -> SigningKey
}
