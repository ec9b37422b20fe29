import Administration
import AuthorizationCore
import JOSE
import OpenSSLCrypto
import Primitives

/// Makes signing keys with OpenSSL, seals them under the master key, and opens them to sign.
struct SealedKeys: SigningKeyFactory {
    let sealer: AESGCMSealer

    func make(
        _ algorithm: JWSAlgorithm, tenant: TenantID, status: SigningKey.Status, now: Timestamp
    ) throws -> SigningKey {
        let id = Identifiers.signingKey(SystemRandom())
        let signer = try OpenSSLSigner.generate(algorithm: algorithm, keyID: id.rawValue)
        let sealed = try sealer.seal(
            signer.exportPKCS8().bytes, context: SigningKey.sealingContext(tenant: tenant, id: id))
        return SigningKey(
            id: id, tenant: tenant, algorithm: algorithm, status: status, sealedPrivateKey: sealed,
            publicKey: signer.publicKey, createdAt: now, changedAt: now)
    }

    func signer(for key: SigningKey) throws -> any Signer {
        let context = SigningKey.sealingContext(tenant: key.tenant, id: key.id)
        return try OpenSSLSigner(
            pkcs8DER: sealer.open(key.sealedPrivateKey, context: context), algorithm: key.algorithm,
            keyID: key.id.rawValue)
    }
}
