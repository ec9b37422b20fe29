import Endpoints
import OpenSSLCrypto
import Persistence
import Primitives

/// Why what a database holds sealed cannot be opened, and nothing be sealed for it.
package enum MasterKeyFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is none, and the database is older than this process.
    case missing(file: String)
    /// It is not the one under which the database was sealed.
    case another(source: String)
    /// One thing that was sealed cannot be opened.
    case refused

    package var description: String {
        switch self {
        case .missing(let file):
            "the database was sealed under a master key that is not here (there is no \(file)); "
                + "set COUNTERSIGN_MASTER_KEY or --master-key-file"
        case .another(let source):
            "the database was sealed under another master key than the one \(source); "
                + "set COUNTERSIGN_MASTER_KEY or --master-key-file to the right one"
        case .refused: "what was sealed cannot be opened: it was altered, or sealed under another master key"
        }
    }
}

/// Seals under the master key. Without one it does nothing but say so: what needs no key goes on without.
struct Vault: Sealer {
    private static let checkContext = "master key check"

    private let contents: Result<(key: MasterKey, sealer: AESGCMSealer), MasterKeyFailure>

    init(_ key: MasterKey) { contents = .success((key, AESGCMSealer(masterKey: key))) }

    /// One that stays closed.
    init(closedBy failure: MasterKeyFailure) { contents = .failure(failure) }

    var isOpen: Bool { if case .success = contents { true } else { false } }

    var masterKey: MasterKey { get throws(MasterKeyFailure) { try contents.get().key } }

    func seal(_ plaintext: [UInt8], context: String) throws -> [UInt8] {
        try contents.get().sealer.seal(plaintext, context: context)
    }

    func open(_ sealed: [UInt8], context: String) throws -> SecretBytes {
        do {
            return try contents.get().sealer.open(sealed, context: context)
        } catch AESGCMSealer.Failure.refused {
            throw MasterKeyFailure.refused
        }
    }

    /// Makes sure that the key is the one under which `store` was sealed, before anything is sealed under another.
    ///
    /// A store that has no check yet has its oldest signing key for a proof. If nothing was sealed yet, any key is the
    /// right one.
    func prove(_ store: Store, source: String) async throws {
        if let kept = try await store.masterKeyCheck() {
            return try prove(kept, Self.checkContext, source)
        }
        if let oldest = try await store.oldestSealedKey() {
            try prove(oldest.sealed, oldest.context, source)
        }
    }

    /// Keeps what only this key opens, where nothing was kept yet, and the keys that secrets are derived with.
    func settle(_ store: Store, source: String) async throws {
        try await store.keepMasterKeyCheck(try check())
        // Another process may have kept its own a moment earlier.
        try await prove(store, source: source)
        for label in Application.Keys.labels {
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
