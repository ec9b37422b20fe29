import Administration
package import Audit
import AuthorizationCore
import Configuration
import Glibc
import JOSE
import OpenSSLCrypto
import Persistence
package import Primitives

/// Entries of the audit log that were moved to a file.
package struct ArchivedEntries: Sendable {
    package let file: String
    /// The entry before the first one; its sequence is 0 where the file begins with the log.
    package let after: AuditHead
    package let head: AuditHead
    /// The thumbprint of the key that signed the head.
    package let key: String

    package var count: Int64 { head.sequence - after.sequence }
}

extension Installation {
    /// Entries of the last day stay: a server that starts learns from them which proofs were used.
    package static let leastArchiveAge = Duration.seconds(86_400)
    /// Entries that one change removes, so that it delays no other for long.
    private static let archiveStep = 2000

    /// Moves the entries of the audit log that are older than `end` to a new file of mode 0600, beside a running server.
    ///
    /// The file is whole, verified and on the disk before the first entry is removed. An archiving that is interrupted
    /// leaves the rest of the entries where they are; another one goes on after those that were removed.
    /// - Throws: `InstallationRefusal`, `MasterKeyFailure` or a failure of a file.
    package func archiveAuditLog(
        before end: Timestamp, to file: String, by actor: AuditEvent.Actor, now: Timestamp,
        progress: (_ entries: Int64) -> Void
    ) async throws -> ArchivedEntries {
        guard access(file, F_OK) != 0 else {
            throw InstallationRefusal(
                "\(file) is there already", hint: "an archive is never replaced: name another file")
        }
        let signer = try await auditSigner()
        let last = try await store.lastArchivable(before: min(end, now - Self.leastArchiveAge))
        let state = try await store.auditLogState()
        let beginning = AuditHead(sequence: 0, hash: AuditEntry.beginning)
        let after = state.archived?.head ?? beginning
        guard let last, last.sequence > after.sequence else {
            throw InstallationRefusal(
                "the audit log has no entry that is so old", hint: "entries of the last day always stay")
        }
        guard state.missingGuards.isEmpty, state.archived?.isSigned(OpenSSLVerifier()) ?? true else {
            throw InstallationRefusal("the audit log does not verify", hint: "countersign log verify says more")
        }
        let signed = try ArchivedHead(signing: last, at: now, with: signer)
        let steps = try await write(signed, after: after, to: file, progress)
        for step in steps {
            let isLast = step == last
            let events = isLast ? try await archiveEvents(signed, after: after, by: actor, now: now) : []
            try await store.removeArchived(
                isLast ? signed : try ArchivedHead(signing: step, at: now, with: signer), events: events)
        }
        return ArchivedEntries(
            file: file, after: after, head: last, key: signed.thumbprint(OpenSSLHashing()))
    }

    /// The file with its name; the heads up to which entries are removed, one change each.
    private func write(
        _ signed: ArchivedHead, after: AuditHead, to file: String, _ progress: (Int64) -> Void
    ) async throws -> [AuditHead] {
        let partial: PartialFile
        do {
            partial = try PartialFile(file)
        } catch PartialFile.Refusal.inUse {
            throw InstallationRefusal("another process is writing \(file)")
        }
        let lineFeed = UInt8(ascii: "\n")
        try partial.append(AuditArchive.Header(after: after, archived: signed).line + [lineFeed])
        var head = after
        var steps: [AuditHead] = []
        while head.sequence < signed.head.sequence {
            var lines: [UInt8] = []
            let left = min(Int64(Self.archiveStep), signed.head.sequence - head.sequence)
            let entries = try await store.chain(after: head.sequence, limit: Int(left))
            for stored in entries {
                guard stored.sequence == head.sequence + 1, let entry = stored.entry, let hash = stored.hash,
                    entry.hash(after: head.hash, OpenSSLHashing()) == hash
                else {
                    throw InstallationRefusal(
                        "the audit log does not verify at entry \(head.sequence + 1); nothing was archived",
                        hint: "countersign log verify says more")
                }
                head = AuditHead(sequence: stored.sequence, hash: hash)
                lines += AuditArchive.line(entry, hash: hash) + [lineFeed]
            }
            guard !entries.isEmpty else {
                throw InstallationRefusal("the audit log ends before entry \(signed.head.sequence)")
            }
            try partial.append(lines)
            steps.append(head)
            progress(head.sequence - after.sequence)
        }
        try partial.synchronize()
        try verify(AuditArchiveFile(partial.path), after: after, signed)
        do {
            try partial.keep(replacing: false)
        } catch PartialFile.Refusal.exists {
            throw InstallationRefusal(
                "\(file) is there already", hint: "an archive is never replaced: name another file")
        }
        return steps
    }

    /// Reads again what will be all that there is of these entries.
    private func verify(_ file: AuditArchiveFile, after: AuditHead, _ signed: ArchivedHead) throws {
        var head = after
        var isWhole = try file.header() == AuditArchive.Header(after: after, archived: signed)
        try file.entries { stored in
            guard let entry = stored?.entry, let hash = stored?.hash, entry.sequence == head.sequence + 1,
                entry.hash(after: head.hash, OpenSSLHashing()) == hash
            else {
                isWhole = false
                return false
            }
            head = AuditHead(sequence: entry.sequence, hash: hash)
            return true
        }
        guard isWhole, head == signed.head else {
            throw InstallationRefusal("the file is not what was written; nothing was archived")
        }
    }

    private func archiveEvents(
        _ signed: ArchivedHead, after: AuditHead, by actor: AuditEvent.Actor, now: Timestamp
    ) async throws -> [AuditEvent] {
        let tenants = try await configuration.tenants().map(\.tenant.id)
        return tenants.map { tenant in
            AuditEvent(
                .changed, of: AuditEvent.Object("audit log", "archive"), by: actor, tenant: tenant, at: now,
                details: ["after": .string(after.description), "head": .string(signed.head.description)])
        }
    }

    /// The key that signs archives, made with the first one.
    private func auditSigner() async throws -> any Signer {
        _ = try vault.masterKey
        if try await store.auditKey() == nil {
            let made = try OpenSSLSigner.generate(algorithm: .edDSA)
            try await store.keepAuditKey(
                try vault.seal(try made.exportPKCS8().bytes, context: Store.auditKeyContext))
        }
        guard let sealed = try await store.auditKey() else { throw MasterKeyFailure.refused }
        return try OpenSSLSigner(
            pkcs8DER: try vault.open(sealed, context: Store.auditKeyContext), algorithm: .edDSA)
    }
}
