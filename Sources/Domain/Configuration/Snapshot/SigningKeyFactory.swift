package import AuthorizationCore
package import JOSE
package import Primitives

/// Makes signing keys with their private halves sealed and with certificates, and opens them to sign.
package protocol SigningKeyFactory: Sendable {
    /// Throws what key generation or sealing throws.
    func make(
        _ algorithm: JWSAlgorithm, tenant: TenantID, status: SigningKey.Status, now: Timestamp
    ) throws -> SigningKey

    /// A self-signed certificate for a key that has none, DER. Throws as `signer` does.
    func certificate(for key: SigningKey, now: Timestamp) throws -> [UInt8]

    /// Throws where the private half cannot be opened: under another master key, or moved from another place.
    func signer(for key: SigningKey) throws -> any Signer
}
