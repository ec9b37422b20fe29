package import JOSE
import OpenSSLCrypto
package import Primitives
import Synchronization

/// Key pairs for tests, made once a run.
package enum Keys {
    package struct Unavailable: Error {}

    private static let made = Mutex<[String: OpenSSLSigner]>([:])
    private static let fixed = Mutex<[JWSAlgorithm: SecretBytes]>([:])

    /// From now on every key pair of that algorithm is this one, PEM. What a signature costs depends on the key.
    package static func fix(_ algorithm: JWSAlgorithm, _ pem: SecretBytes) { fixed.withLock { $0[algorithm] = pem } }

    /// The key pair of that name and algorithm: the same one every time.
    package static func signer(
        _ algorithm: JWSAlgorithm, _ name: String = "a", keyID: String? = nil
    ) throws -> any Signer {
        let key = "\(algorithm.rawValue) \(name) \(keyID ?? "")"
        return try made.withLock { made in
            if let known = made[key] { return known }
            let pem = fixed.withLock { $0[algorithm] }
            let signer =
                try pem.map { try OpenSSLSigner(pem: $0, algorithm: algorithm, keyID: keyID) }
                ?? OpenSSLSigner.generate(algorithm: algorithm, keyID: keyID)
            made[key] = signer
            return signer
        }
    }
    /// A new certificate of a key that was made here, DER.
    package static func certificate(of signer: any Signer, now: Timestamp) throws -> [UInt8] {
        guard let signer = signer as? OpenSSLSigner else { throw Unavailable() }
        return try signer.selfSignedCertificateDER(
            commonName: "test", notBefore: now, notAfter: now + .seconds(86_400))
    }
}
