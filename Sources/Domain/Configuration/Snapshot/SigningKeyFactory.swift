package import AuthorizationCore
package import JOSE
package import Primitives
package import X509

/// Creates keys with sealed private halves, and opens them to sign, as it opens those that tenants provide. Signing keys
/// have certificates.
package protocol SigningKeyFactory: KeyFileReader {
    /// Throws errors of key generation and sealing.
    func make(
        _ algorithm: JWSAlgorithm, tenant: TenantID, status: SigningKey.Status, now: Timestamp
    ) throws -> SigningKey

    /// A self-signed certificate (DER) for a key without one. Throws as `signer` does.
    func certificate(for key: SigningKey, now: Timestamp) throws -> [UInt8]

    /// Throws if the private half cannot be opened: another master key, or moved from another place.
    func signer(for key: SigningKey) throws -> any Signer

    func makeWebPushKey(for tenant: TenantID) throws -> WebPushKey

    /// Throws if the private half cannot be opened.
    func signer(for key: WebPushKey) throws -> any Signer
}
