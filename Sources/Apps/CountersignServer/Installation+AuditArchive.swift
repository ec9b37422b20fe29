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
    /// The last entries before the first one.
    package let after: AuditHeads
    package let heads: AuditHeads
    /// The thumbprint of the key that signed the heads.
    package let key: String

    package var count: Int64 { heads.total - after.total }
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
        guard let last else {
            throw InstallationRefusal(
                "the audit log has no entries that old", hint: "entries of the last day always stay")
        }
        guard state.missingGuards.isEmpty, !state.hasUnreadableArchive,
            state.archived?.isSigned(OpenSSLVerifier()) ?? true
        else {
            throw InstallationRefusal("the audit log does not verify", hint: "run countersign log verify for details")
        }
        let after = state.archived?.heads ?? AuditHeads()
        let steps = try await steps(to: last, after: state.archived)
        let signed = try steps.map {
            try ArchivedHead(signing: $0.heads, treeHead: $0.treeHead, at: now, with: signer)
        }
        guard let end = signed.last else { throw InstallationRefusal("the audit log has no entries that old") }
        try await write(end, after: after, through: last, to: file, progress)
        for step in signed {
            let events = step == end ? try await archiveEvents(end, after: after, by: actor, now: now) : []
            try await store.removeArchived(step, events: events)
        }
        return ArchivedEntries(file: file, after: after, heads: end.heads, key: end.thumbprint(OpenSSLHashing()))
    }

    /// Work of one change: it removes entries up to these heads, and tree heads up to this one.
    private struct Step {
        var heads: AuditHeads
        var treeHead: AuditTreeHead.ID?
    }

    /// Verifies the entries up to a number, and divides them into steps.
    private func steps(to last: Int64, after archived: ArchivedHead?) async throws -> [Step] {
        var step = Step(heads: archived?.heads ?? AuditHeads(), treeHead: archived?.treeHead)
        var steps: [Step] = []
        try await entries(through: last) { entries in
            for stored in entries { try step.heads.append(stored) }
            step.treeHead = try await lastTreeHead(within: step.heads, after: step.treeHead)
            steps.append(step)
        }
        return steps
    }

    /// The last tree head that covers nothing beyond `heads`.
    private func lastTreeHead(within heads: AuditHeads, after first: AuditTreeHead.ID?) async throws -> AuditTreeHead
        .ID?
    {
        var last = first
        while true {
            let found = try await store.treeHeads(after: last?.number ?? 0, limit: 100)
            for stored in found {
                guard let treeHead = AuditTreeHead(stored.statement, OpenSSLHashing()), treeHead.previous == last else {
                    throw InstallationRefusal(
                        "tree head \(stored.number) does not verify; nothing was archived",
                        hint: "run countersign log verify for details")
                }
                guard heads.continues(treeHead.heads) else { return last }
                last = treeHead.id
            }
            guard !found.isEmpty else { return last }
        }
    }

    /// Passes the entries through a number to `visit`, `archiveStep` at a time.
    private func entries(through last: Int64, _ visit: ([StoredAuditEntry]) async throws -> Void) async throws {
        var number = Int64.min
        while number < last {
            let entries = try await store.entries(after: number, limit: Self.archiveStep).filter { $0.sequence <= last }
            guard let end = entries.last else {
                throw InstallationRefusal("the audit log ends before entry \(last)")
            }
            try await visit(entries)
            number = end.sequence
        }
    }

    /// Writes the file under its final name.
    private func write(
        _ signed: ArchivedHead, after: AuditHeads, through last: Int64, to file: String, _ progress: (Int64) -> Void
    ) async throws {
        let partial = try Self.partial(file)
        let lineFeed = UInt8(ascii: "\n")
        try partial.append(AuditArchive.Header(after: after, archived: signed).line + [lineFeed])
        var heads = after
        try await entries(through: last) { entries in
            var lines: [UInt8] = []
            for stored in entries {
                let (entry, hash) = try heads.append(stored)
                lines += AuditArchive.line(entry, hash: hash) + [lineFeed]
            }
            try partial.append(lines)
            progress(heads.total - after.total)
        }
        try partial.synchronize()
        try verify(AuditArchiveFile(partial.path), after: after, signed)
        try Self.keep(partial, orRefuse: .archiveExists(file))
    }

    /// Reads the file again, because it will be the only copy of these entries.
    private func verify(_ file: AuditArchiveFile, after: AuditHeads, _ signed: ArchivedHead) throws {
        var heads = after
        var isWhole = try file.header() == AuditArchive.Header(after: after, archived: signed)
        try file.entries { stored in
            isWhole = isWhole && stored.map { (try? heads.append($0)) != nil } ?? false
            return isWhole
        }
        guard isWhole, heads == signed.heads else {
            throw InstallationRefusal("the file differs from what was written; nothing was archived")
        }
    }

    private func archiveEvents(
        _ signed: ArchivedHead, after: AuditHeads, by actor: AuditEvent.Actor, now: Timestamp
    ) async throws -> [AuditEvent] {
        let tenants = try await configuration.tenants().map(\.tenant.id)
        return tenants.map { tenant in
            AuditEvent(
                .changed, of: AuditEvent.Object("audit log", "archive"), by: actor, tenant: tenant, at: now,
                details: ["after": .string(after.description), "head": .string(signed.heads.description)])
        }
    }

    /// The key that signs archives and tree heads. The first of them creates it.
    func auditSigner() async throws -> any Signer {
        _ = try vault.masterKey
        if try await store.auditKey() == nil {
            let made = try OpenSSLSigner.generate(algorithm: .edDSA)
            try await store.keepAuditKey(try vault.seal(try made.exportPKCS8().bytes, context: Store.auditKeyContext))
        }
        guard let sealed = try await store.auditKey() else { throw MasterKeyFailure.refused }
        return try OpenSSLSigner(pkcs8DER: try vault.open(sealed, context: Store.auditKeyContext), algorithm: .edDSA)
    }
}

extension AuditHeads {
    /// Adds an entry that follows the last one of its lane.
    @discardableResult
    fileprivate mutating func append(_ stored: StoredAuditEntry) throws -> (entry: AuditEntry, hash: Digest256) {
        let before = self[stored.place.lane]
        guard let entry = stored.entry, let hash = stored.hash, entry.place.number == (before?.place.number ?? 0) + 1,
            entry.hash(after: before?.hash ?? AuditEntry.beginning, OpenSSLHashing()) == hash
        else {
            throw InstallationRefusal(
                "the audit log does not verify at entry \(stored.place); nothing was archived",
                hint: "run countersign log verify for details")
        }
        self[stored.place.lane] = AuditHead(place: entry.place, hash: hash)
        return (entry, hash)
    }
}

extension InstallationRefusal {
    fileprivate static func archiveExists(_ file: String) -> InstallationRefusal {
        InstallationRefusal("\(file) already exists", hint: "archives are never replaced; name another file")
    }
}
