package import Audit
import AuthorizationCore
import Endpoints
import Glibc
import OpenSSLCrypto
import Persistence
package import Primitives

/// An exchange of the master key that is done.
package struct KeyExchange: Sendable {
    /// Values that were sealed anew.
    package let sealed: Int
    /// Values that nobody could open, and that were given up.
    package let emptied: Int
    /// Logins that have to begin anew.
    package let endedLogins: Int
    /// The file that has the new key, under the name of the old one; nil where the environment gives the key.
    package let file: String?
    /// The file that keeps the old key.
    package let oldFile: String?
    /// Says that an exchange which was interrupted is finished, and that no other was begun.
    package let finishedInterrupted: String?

    fileprivate init(
        _ counts: KeyExchangeCounts = KeyExchangeCounts(), file: String? = nil, oldFile: String? = nil,
        finishedInterrupted: String? = nil
    ) {
        sealed = counts.sealed
        emptied = counts.emptied
        endedLogins = counts.endedLogins
        self.file = file
        self.oldFile = oldFile
        self.finishedInterrupted = finishedInterrupted
    }
}

extension Installation {
    /// Seals everything under another master key, while no server runs: the key in the file `given`, or a new one.
    ///
    /// The new key is on the disk before anything is sealed under it, and the old one stays there. If the process ends
    /// between, whichever of the two opens the database is taken by the next start.
    /// - Parameters:
    ///   - endingDerived: has tokens and forms derived with new keys, which ends those that are out, and the next archive
    ///     signed by a new key.
    ///   - givingUp: gives up values that cannot be opened, instead of refusing.
    /// - Throws: `InstallationRefusal`, `FolderInUse`, `MasterKeyFailure` or a failure of a file.
    package static func exchangeMasterKey(
        _ settings: ServerSettings, given: String?, endingDerived: Bool, givingUp: Bool,
        by actor: AuditEvent.Actor, now: Timestamp
    ) async throws -> KeyExchange {
        let installation = try await Installation(settings, for: .withoutServer)
        do {
            let result = try await installation.exchangeMasterKey(
                given: given, endingDerived: endingDerived, givingUp: givingUp, by: actor, now: now)
            await installation.close()
            return result
        } catch {
            await installation.close()
            guard let box = error as? ClosedBox else { throw error }
            throw InstallationRefusal(
                "\(box.description); nothing was changed",
                hint: "replace it first, or give it up with --empty-unreadable")
        }
    }

    private func exchangeMasterKey(
        given: String?, endingDerived: Bool, givingUp: Bool, by actor: AuditEvent.Actor, now: Timestamp
    ) async throws -> KeyExchange {
        if let finished = made.first(where: { $0.hasPrefix("master key") }) {
            return KeyExchange(finishedInterrupted: finished)
        }
        // Says first that there is none.
        _ = try vault.masterKey
        let file = settings.masterKey == nil ? Self.masterKeyFile(settings) : nil
        let key = try nextKey(given: given, file: file)
        let next = Vault(key)
        if let check = try await store.masterKeyCheck(), next.opens(check: check) {
            throw InstallationRefusal("the database is sealed under that key already", hint: "give another one")
        }
        var fresh: [String: SecretBytes]?
        if endingDerived {
            fresh = [:]
            for label in Application.Keys.labels { fresh?[label] = SecretBytes(SystemRandom().bytes(MasterKey.size)) }
        }
        let counts = try await store.exchangeMasterKey(
            from: vault, to: next, check: try next.check(), fresh: fresh, givingUp: givingUp
        ) { tenant in
            AuditEvent(
                .changed, of: AuditEvent.Object("master key", "exchange"), by: actor, tenant: tenant, at: now,
                changed: endingDerived ? ["master_key", "derivation_keys", "audit_key"] : ["master_key"])
        }
        let old = try file.map { try KeyAtHand.replace($0, suffix: now.compact) }
        return KeyExchange(counts, file: file, oldFile: old)
    }

    /// The key to seal under, which is on the disk when this returns.
    private func nextKey(given: String?, file: String?) throws -> MasterKey {
        guard let file else {
            guard let given else {
                throw InstallationRefusal(
                    "the environment gives the master key, and a new one has to come from there too",
                    hint: "put it in a file of mode 0600 for a moment, name that with --new-key-file, and change the "
                        + "environment before the next start")
            }
            return try MasterKey(file: given)
        }
        let next = KeyAtHand.next(file)
        if let given {
            let key = try MasterKey(file: given)
            guard access(next, F_OK) != 0 else {
                throw InstallationRefusal(
                    "\(next) is there, left by an exchange that was interrupted before it had changed anything",
                    hint: "remove it, or leave --new-key-file out to go on with the key in it")
            }
            try key.createFile(next)
            return key
        }
        if access(next, F_OK) == 0 { return try MasterKey(file: next) }
        let key = MasterKey.generate()
        try key.createFile(next)
        return key
    }
}
