import Files
import Glibc
import OpenSSLCrypto
import Persistence

/// The master key from the settings.
struct KeyAtHand {
    let vault: Vault
    /// Completes "the master key …", such as `in FILE`.
    let source: String
    /// Nil if the environment gives the key.
    let file: String?
    /// True if an exchange was interrupted after its commit, so that the key still has its temporary name.
    var isInterruptedExchange = false

    /// The temporary name of the next key during an exchange.
    static func next(_ file: String) -> String { file + ".next" }

    /// This key if `store` was sealed under it, or the next key if an exchange was interrupted after its commit. A closed
    /// vault is returned unchanged.
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

    /// Keeps the key in `file` under another name and gives its name to the next key. `file` is a valid key at every
    /// moment, and so is the key that opens the database. The next key then belongs to `owner`.
    /// - Returns: The new name of the replaced key.
    static func replace(_ file: String, for owner: FileOwner, suffix: String) throws -> String {
        try owner.take(next(file))
        let old = "\(file).replaced-\(suffix)"
        guard link(file, old) == 0 || errno == EEXIST else {
            throw FileFailure("cannot create \(old)")
        }
        guard rename(next(file), file) == 0 else {
            throw FileFailure("cannot rename \(next(file)) to \(file)")
        }
        try Folder(of: file).synchronize()
        return old
    }
}
