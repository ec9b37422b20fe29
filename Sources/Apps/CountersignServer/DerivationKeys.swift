import Flows
import OpenSSLCrypto
import Persistence

extension Installation {
    /// Unsealed keys from which tokens and forms are derived.
    /// - Throws: `MasterKeyFailure` if there is no master key, or if it does not open a derivation key.
    func derivedKeys() async throws -> DerivedKeys {
        _ = try vault.masterKey
        let sealed = try await store.derivationKeys()
        return try DerivedKeys(hashing: OpenSSLHashing()) { label in
            guard let box = sealed[label] else { throw MasterKeyFailure.refused }
            return try vault.open(box, context: Store.derivationContext(label))
        }
    }
}
