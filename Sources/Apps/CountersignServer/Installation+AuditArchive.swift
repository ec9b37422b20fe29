package import Audit
import AuthorizationCore
import Configuration
import Files
import Glibc
import JOSE
import OpenSSLCrypto
import Persistence
package import Primitives

/// Audit entries that were moved to a file.
package struct ArchivedEntries: Sendable {
    package let file: String
    /// The entry before the first one. Its sequence is 0 if the file starts at the beginning of the log.
    package let after: AuditHead
    package let head: AuditHead
    /// The thumbprint of the key that signed the head.
    package let key: String

    package var count: Int64 { head.sequence - after.sequence }
}

extension Installation {
    /// Entries of the last day stay: a starting server learns from them which proofs were used.
    package static let leastArchiveAge = Duration.seconds(86_400)
    /// Entries removed in one change, so that other changes do not wait long.
    private static let archiveStep = 2000

    /// Moves the audit entries older than `end` to a new file of mode 0600. A server may run meanwhile.
    ///
    /// The file is complete, verified and on the disk before the first entry is removed. After an interruption, the
    /// remaining entries are still in the log, and the next archive continues with them.
    /// - Throws: `InstallationRefusal`, `MasterKeyFailure` or an error of a file.
    package func archiveAuditLog(
        before end: Timestamp, to file: String, by actor: AuditEvent.Actor, now: Timestamp,
        progress: (_ entries: Int64) -> Void
    ) async throws -> ArchivedEntries {
        guard access(file, F_OK) != 0 else { throw InstallationRefusal.archiveExists(file) }
        let signer = try await auditSigner()
        let last = try await store.lastArchivable(before: min(end, now - Self.leastArchiveAge))
        let state = try await store.auditLogState()
        let beginning = AuditHead(sequence: 0, hash: AuditEntry.beginning)
        let after = state.archived?.head ?? beginning
        guard let last, last.sequence > after.sequence else {
            throw InstallationRefusal(
                "the audit log has no entries that old", hint: "entries of the last day always stay")
        }
        guard state.missingGuards.isEmpty, state.archived?.isSigned(OpenSSLVerifier()) ?? true else {
            throw InstallationRefusal("the audit log does not verify", hint: "run countersign log verify for details")
        }
        let signed = try ArchivedHead(signing: last, at: now, with: signer)
        let steps = try await write(signed, after: after, to: file, progress)
        for step in steps {
            let isLast = step == last
            let events = isLast ? try await archiveEvents(signed, after: after, by: actor, now: now) : []
            try await store.removeArchived(
                isLast ? signed : try ArchivedHead(signing: step, at: now, with: signer), events: events)
        }
        return ArchivedEntries(file: file, after: after, head: last, key: signed.thumbprint(OpenSSLHashing()))
    }

    /// Writes the file under its final name. Returns the heads up to which entries are removed, one per change.
    private func write(
        _ signed: ArchivedHead, after: AuditHead, to file: String, _ progress: (Int64) -> Void
    ) async throws -> [AuditHead] {
        let partial = try Self.partial(file)
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
                        hint: "run countersign log verify for details")
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
        try Self.keep(partial, orRefuse: .archiveExists(file))
        return steps
    }

    /// Reads the file again, because it will be the only copy of these entries.
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
            throw InstallationRefusal("the file differs from what was written; nothing was archived")
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

    /// The key that signs archives. The first archive creates it.
    private func auditSigner() async throws -> any Signer {
        _ = try vault.masterKey
        if try await store.auditKey() == nil {
            let made = try OpenSSLSigner.generate(algorithm: .edDSA)
            try await store.keepAuditKey(try vault.seal(try made.exportPKCS8().bytes, context: Store.auditKeyContext))
        }
        guard let sealed = try await store.auditKey() else { throw MasterKeyFailure.refused }
        return try OpenSSLSigner(pkcs8DER: try vault.open(sealed, context: Store.auditKeyContext), algorithm: .edDSA)
    }
}

extension InstallationRefusal {
    fileprivate static func archiveExists(_ file: String) -> InstallationRefusal {
        InstallationRefusal("\(file) already exists", hint: "archives are never replaced; name another file")
    }
}
