import Flows
import OpenSSLCrypto
import Persistence
import Primitives

/// Reasons why a database's sealed values cannot be opened.
package enum MasterKeyFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no master key, and the database is not new.
    case missing(file: String)
    /// The key is not the one under which the database was sealed.
    case another(source: String)
    /// A sealed value cannot be opened.
    case refused

    package var description: String {
        switch self {
        case .missing(let file):
            "the database was sealed under a master key that is missing (there is no \(file)); "
                + "set COUNTERSIGN_MASTER_KEY or --master-key-file"
        case .another(let source):
            "the database was sealed under another master key than the one \(source); "
                + "set COUNTERSIGN_MASTER_KEY or --master-key-file to the right one"
        case .refused: "a sealed value cannot be opened: it was altered, or sealed under another master key"
        }
    }
}

/// Seals under the master key. Without one, every operation throws the reason; work that needs no key continues.
struct Vault: Sealer, RowAuthenticator {
    private static let checkContext = "master key check"

    private let contents: Result<(key: MasterKey, sealer: AESGCMSealer), MasterKeyFailure>

    init(_ key: MasterKey) { contents = .success((key, AESGCMSealer(masterKey: key))) }

    /// A vault that stays closed.
    init(closedBy failure: MasterKeyFailure) { contents = .failure(failure) }

    var isOpen: Bool { if case .success = contents { true } else { false } }

    var masterKey: MasterKey { get throws(MasterKeyFailure) { try contents.get().key } }

    func seal(_ plaintext: [UInt8], context: String) throws -> [UInt8] {
        try contents.get().sealer.seal(plaintext, context: context)
    }

    func mac(_ bytes: [UInt8]) throws -> [UInt8] { try contents.get().sealer.mac(bytes) }

    func open(_ sealed: [UInt8], context: String) throws -> SecretBytes {
        do {
            return try contents.get().sealer.open(sealed, context: context)
        } catch AESGCMSealer.Failure.refused {
            throw MasterKeyFailure.refused
        }
    }

    /// Verifies that `store` was sealed under this key, before anything is sealed under another one.
    ///
    /// A store without a check is verified by its oldest signing key. If nothing has been sealed yet, every key is right.
    func prove(_ store: Store, source: String) async throws {
        if let kept = try await store.masterKeyCheck() { return try prove(kept, Self.checkContext, source) }
        if let oldest = try await store.oldestSealedKey() { try prove(oldest.sealed, oldest.context, source) }
    }

    /// Stores a check that only this key opens, and the derivation keys, unless they exist.
    func settle(_ store: Store, source: String) async throws {
        try await store.keepMasterKeyCheck(try check())
        // Another process may have stored its own a moment earlier.
        try await prove(store, source: source)
        for label in DerivedKeys.labels {
            let context = Store.derivationContext(label)
            try await store.keepDerivationKey(
                label, sealed: try seal(try masterKey.derived(label: label).bytes, context: context))
        }
    }

    /// Seals a known text that only this key opens.
    func check() throws -> [UInt8] { try seal(Array("countersign".utf8), context: Self.checkContext) }

    /// True if this key opens the stored check.
    func opens(check sealed: [UInt8]) -> Bool { (try? open(sealed, context: Self.checkContext)) != nil }

    private func prove(_ sealed: [UInt8], _ context: String, _ source: String) throws {
        do {
            _ = try open(sealed, context: context)
        } catch MasterKeyFailure.refused {
            throw MasterKeyFailure.another(source: source)
        }
    }
}
