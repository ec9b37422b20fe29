package import JOSE
import OpenSSLCrypto
package import Primitives
import Synchronization

/// Key pairs for tests, made once a run.
package enum Keys {
    package struct Unavailable: Error {}

    private static let made = Mutex<[String: OpenSSLSigner]>([:])

    /// The key pair of that name and algorithm: the same one every time.
    package static func signer(
        _ algorithm: JWSAlgorithm, _ name: String = "a", keyID: String? = nil
    ) throws -> any Signer {
        let key = "\(algorithm.rawValue) \(name) \(keyID ?? "")"
        return try made.withLock { made in
            if let known = made[key] { return known }
            let signer = try OpenSSLSigner.generate(algorithm: algorithm, keyID: keyID)
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
