import Glibc
import OpenSSLCrypto
import Persistence

/// The master key that the settings give.
struct KeyAtHand {
    let vault: Vault
    /// Completes "the master key …", such as `in FILE`.
    let source: String
    /// Nil where the environment gives the key.
    let file: String?
    /// True if an exchange was interrupted after its commit: the key still has the name of the next one.
    var isInterruptedExchange = false

    /// The name of the next key while an exchange puts it in the place of the one in `file`.
    static func next(_ file: String) -> String { file + ".next" }

    /// This key, if `store` was sealed under it; or the next one beside it, if an exchange was interrupted after it had
    /// been committed. A closed vault passes.
    func matching(_ store: Store) async throws -> KeyAtHand {
        guard vault.isOpen else { return self }
        do {
            try await vault.prove(store, source: source)
            return self
        } catch MasterKeyFailure.another {
            guard let file, access(Self.next(file), F_OK) == 0 else { throw MasterKeyFailure.another(source: source) }
            let next = Vault(try MasterKey(file: Self.next(file)))
            do {
                try await next.prove(store, source: source)
            } catch MasterKeyFailure.another {
                throw MasterKeyFailure.another(source: "in \(file) and the one in \(Self.next(file))")
            }
            return KeyAtHand(vault: next, source: "in \(Self.next(file))", file: file, isInterruptedExchange: true)
        }
    }

    /// Keeps the key in `file` under another name and gives its name to the next one. At every moment `file` is a key,
    /// and so is whatever opens the database.
    /// - Returns: the name of the key that was replaced.
    static func replace(_ file: String, suffix: String) throws -> String {
        let old = "\(file).replaced-\(suffix)"
        guard link(file, old) == 0 || errno == EEXIST else {
            throw Installation.FileFailure(what: "cannot make \(old)", number: errno)
        }
        guard rename(next(file), file) == 0 else {
            throw Installation.FileFailure(what: "cannot give \(next(file)) the name \(file)", number: errno)
        }
        try PartialFile.synchronizeFolder(of: file)
        return old
    }
}
