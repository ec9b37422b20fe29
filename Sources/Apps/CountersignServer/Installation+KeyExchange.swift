package import Audit
import Files
import Flows
import Glibc
import OpenSSLCrypto
import Persistence
package import Primitives

/// A completed exchange of the master key.
package struct KeyExchange: Sendable {
    /// Number of values sealed again.
    package let sealed: Int
    /// Number of values that could not be opened and were deleted.
    package let emptied: Int
    /// Number of logins that have to start again.
    package let endedLogins: Int
    /// The file with the new key, under the old key's name. Nil if the environment gives the key.
    package let file: String?
    /// The file that keeps the old key.
    package let oldFile: String?
    /// The file whose interrupted exchange was completed instead of starting another one.
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
    /// Seals everything under another master key, either the one in the file `given` or a new one. No server may run.
    ///
    /// The new key is on the disk before anything is sealed under it, and the old key stays there. If the process ends
    /// in between, the next start uses whichever of the two opens the database.
    /// - Parameters:
    ///   - endingDerived: Replaces the keys from which tokens and forms are derived, which ends all of them, and the
    ///     key that signs archives.
    ///   - givingUp: Deletes values that cannot be opened, instead of refusing the exchange.
    /// - Throws: `InstallationRefusal`, `MasterKeyFailure` or an error of a file.
    package static func exchangeMasterKey(
        _ settings: ServerSettings, given: String?, endingDerived: Bool, givingUp: Bool,
        by actor: AuditEvent.Actor, now: Timestamp
    ) async throws -> KeyExchange {
        let installation = try await Installation(settings, for: .withoutServer)
        do {
            return try await installation.whileOpen {
                try await installation.exchangeMasterKey(
                    given: given, endingDerived: endingDerived, givingUp: givingUp, by: actor, now: now)
            }
        } catch let box as ClosedBox {
            throw InstallationRefusal(
                "\(box.description); nothing was changed",
                hint: "replace it first, or delete it with --empty-unreadable")
        }
    }

    private func exchangeMasterKey(
        given: String?, endingDerived: Bool, givingUp: Bool, by actor: AuditEvent.Actor, now: Timestamp
    ) async throws -> KeyExchange {
        if let finished = made.first(where: { $0.hasPrefix("master key") }) {
            return KeyExchange(finishedInterrupted: finished)
        }
        // Fails early if there is no master key.
        _ = try vault.masterKey
        let file = settings.masterKey == nil ? Self.masterKeyFile(settings) : nil
        let key = try nextKey(given: given, file: file)
        let next = Vault(key)
        if let check = try await store.masterKeyCheck(), next.opens(check: check) {
            throw InstallationRefusal("the database is already sealed under that key", hint: "name another key")
        }
        var fresh: [String: SecretBytes]?
        if endingDerived {
            fresh = [:]
            for label in DerivedKeys.labels { fresh?[label] = SecretBytes(SystemRandom().bytes(MasterKey.size)) }
        }
        let counts = try await store.exchangeMasterKey(
            from: vault, to: next, check: try next.check(), fresh: fresh, givingUp: givingUp
        ) { tenant in
            AuditEvent(
                .changed, of: AuditEvent.Object("master key", "exchange"), by: actor, tenant: tenant, at: now,
                changed: endingDerived ? ["master_key", "derivation_keys", "audit_key"] : ["master_key"])
        }
        let owner = try FileOwner(of: dataFolder)
        let old = try file.map { try KeyAtHand.replace($0, for: owner, suffix: now.compact) }
        return KeyExchange(counts, file: file, oldFile: old)
    }

    /// The key to seal under. It is on the disk when this returns.
    private func nextKey(given: String?, file: String?) throws -> MasterKey {
        guard let file else {
            guard let given else {
                throw InstallationRefusal(
                    "the environment gives the master key, so the new key must come from there too",
                    hint:
                        "write it to a file of mode 0600, name that file with --new-key-file, and change the "
                        + "environment before the next start")
            }
            return try MasterKey(file: given)
        }
        let next = KeyAtHand.next(file)
        // The server has to read the key, in whatever folder it is.
        let owner = try FileOwner(of: dataFolder)
        if let given {
            let key = try MasterKey(file: given)
            guard access(next, F_OK) != 0 else {
                throw InstallationRefusal(
                    "\(next) exists: an exchange was interrupted before it changed anything",
                    hint: "remove it, or omit --new-key-file to continue with the key in it")
            }
            try key.createFile(next, for: owner)
            return key
        }
        if access(next, F_OK) == 0 { return try MasterKey(file: next) }
        let key = MasterKey.generate()
        try key.createFile(next, for: owner)
        return key
    }
}
