public import JOSE
import OpenSSLCrypto
import Synchronization

/// Key pairs for tests, made once a run.
public enum Keys {
    public struct Unavailable: Error {}

    private static let made = Mutex<[String: OpenSSLSigner]>([:])

    /// The key pair of that name and algorithm: the same one every time.
    public static func signer(
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
}
