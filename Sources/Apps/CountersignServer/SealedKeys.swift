import AuthorizationCore
import Configuration
import JOSE
import OpenSSLCrypto
import Primitives
import X509

/// Creates signing keys with OpenSSL, seals them under the master key, and opens them to sign.
struct SealedKeys: SigningKeyFactory {
    let sealer: Vault

    func make(
        _ algorithm: JWSAlgorithm, tenant: TenantID, status: SigningKey.Status, now: Timestamp
    ) throws -> SigningKey {
        let id = Identifiers.signingKey(SystemRandom())
        let signer = try OpenSSLSigner.generate(algorithm: algorithm, keyID: id.rawValue)
        let sealed = try sealer.seal(
            signer.exportPKCS8().bytes, context: SigningKey.sealingContext(tenant: tenant, id: id))
        return SigningKey(
            id: id, tenant: tenant, algorithm: algorithm, status: status, sealedPrivateKey: sealed,
            publicKey: signer.publicKey, certificate: try Self.certificate(of: signer, tenant: tenant, now: now),
            createdAt: now, changedAt: now)
    }

    func certificate(for key: SigningKey, now: Timestamp) throws -> [UInt8] {
        try Self.certificate(of: openSigner(for: key), tenant: key.tenant, now: now)
    }

    /// Verifiers only read the key in the certificate. It is valid longer than any key signs, in case a verifier
    /// checks.
    private static func certificate(
        of signer: OpenSSLSigner, tenant: TenantID, now: Timestamp
    ) throws(OpenSSLFailure) -> [UInt8] {
        try signer.selfSignedCertificateDER(
            commonName: tenant.rawValue, notBefore: now - .seconds(3600), notAfter: now + .seconds(5000 * 86_400))
    }

    func signer(for key: SigningKey) throws -> any Signer { try openSigner(for: key) }

    private func openSigner(for key: SigningKey) throws -> OpenSSLSigner {
        guard key.isIntact else { throw ChangedKey(key: key.id, tenant: key.tenant) }
        let context = SigningKey.sealingContext(tenant: key.tenant, id: key.id)
        let opened: SecretBytes
        do {
            opened = try sealer.open(key.sealedPrivateKey, context: context)
        } catch MasterKeyFailure.refused {
            throw ClosedKey(key: key.id, tenant: key.tenant)
        }
        return try OpenSSLSigner(pkcs8DER: opened, algorithm: key.algorithm, keyID: key.id.rawValue)
    }

    func makeWebPushKey(for tenant: TenantID) throws -> WebPushKey {
        let signer = try OpenSSLSigner.generate(algorithm: .es256)
        return WebPushKey(
            tenant: tenant,
            sealedPrivateKey: try sealer.seal(
                signer.exportPKCS8().bytes, context: WebPushKey.sealingContext(tenant: tenant)))
    }

    func signer(for key: WebPushKey) throws -> any Signer {
        do {
            let opened = try sealer.open(
                key.sealedPrivateKey, context: WebPushKey.sealingContext(tenant: key.tenant))
            return try OpenSSLSigner(pkcs8DER: opened, algorithm: .es256)
        } catch MasterKeyFailure.refused {
            throw ClosedWebPushKey(tenant: key.tenant)
        }
    }

    func signer(pem: SecretBytes, algorithm: JWSAlgorithm) throws(KeyFileFailure) -> any Signer {
        try OpenSSLKeyFiles().signer(pem: pem, algorithm: algorithm)
    }

    func identity(pkcs12 file: [UInt8]) throws(KeyFileFailure) -> CertifiedKey {
        try OpenSSLKeyFiles().identity(pkcs12: file)
    }

    private struct ClosedWebPushKey: Error, CustomStringConvertible {
        let tenant: TenantID

        var description: String {
            "the web push key of the tenant \(tenant) cannot be opened: it was altered, or sealed under another master "
                + "key. Browsers get no pushes until countersign key-exchange --empty-unreadable replaces it"
        }
    }

    /// A signing key whose row somebody else changed or wrote.
    private struct ChangedKey: Error, CustomStringConvertible {
        let key: SigningKeyID
        let tenant: TenantID

        var description: String {
            "the row of the signing key \(key) of the tenant \(tenant) was changed by somebody without the master key; it "
                + "neither signs nor verifies. Find out who can write to the database, and revoke the key: "
                + "countersign keys revoke \(key) --tenant \(tenant)"
        }
    }

    /// A signing key that the right master key does not open.
    private struct ClosedKey: Error, CustomStringConvertible {
        let key: SigningKeyID
        let tenant: TenantID

        var description: String {
            "the signing key \(key) of the tenant \(tenant) cannot be opened: it was altered, or sealed under another "
                + "master key. Revoke it: countersign keys revoke \(key) --tenant \(tenant)"
        }
    }
}
