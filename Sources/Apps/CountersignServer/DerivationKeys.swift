import Persistence
import Primitives

/// Unsealed keys from which tokens and forms are derived.
struct DerivationKeys: Sendable {
    private let keys: [String: SecretBytes]

    fileprivate init(_ sealed: [String: [UInt8]], vault: Vault) throws {
        var keys: [String: SecretBytes] = [:]
        for (label, box) in sealed { keys[label] = try vault.open(box, context: Store.derivationContext(label)) }
        self.keys = keys
    }

    func key(for label: String) throws -> SecretBytes {
        guard let key = keys[label] else { throw MasterKeyFailure.refused }
        return key
    }
}

extension Installation {
    /// - Throws: `MasterKeyFailure` if there is no master key, or if it does not open a derivation key.
    func derivationKeys() async throws -> DerivationKeys {
        _ = try vault.masterKey
        return try DerivationKeys(try await store.derivationKeys(), vault: vault)
    }
}
