package import JOSE
package import Primitives

/// Walks the chain of the audit log from its first entry, or from the signed end of what was archived, and computes every
/// hash anew.
package struct VerifyAuditLog: Sendable {
    /// What is wrong first. Everything before it is as it was written, and nothing after it is proven.
    package enum Finding: Sendable, Equatable {
        /// These were removed, or moved elsewhere.
        case missing(ClosedRange<Int64>)
        /// The entry does not have the hash that follows from it and the entry before: one of its columns was altered,
        /// or it was put in this place.
        case altered(Int64)
        /// The entry has a column of another type, or none where there must be one.
        case unreadable(Int64)
        /// The entry's number is none that an entry can have: it was put there.
        case inserted(Int64)
        /// The log ends before the entry that was expected: its end was cut off.
        case ended(after: Int64)
        /// The chain is whole, but another one than that which the expected head was noted from: it was written anew.
        case anotherChain(at: Int64)
        /// There is no log at all: its table was dropped, or another was put in its place.
        case gone
        /// There is no entry, while so many tenants are there that left some: all were removed.
        case emptied(tenants: Int)
        /// Every entry fits, while these triggers of the database, which refuse to alter and remove entries, were dropped
        /// or altered.
        case unguarded([String])
        /// The end of the archive was not signed by the installation's key, or not by the key that was expected.
        case unsigned(String)
        /// No archive, or not all of one.
        case torn(String)
        /// The entry that was expected is in an archive, which was not given.
        case archived(Int64)
    }

    package struct Report: Sendable, Equatable {
        /// How many entries were found to be as they were written.
        package let entries: Int64
        /// The last of them.
        package let head: AuditHead?
        package let finding: Finding?
        /// The end of what was archived; nil where nothing was.
        package var archived: AuditHead?
        /// The thumbprint of the key that signed it.
        package var archiveKey: String?
    }

    private static let batch = 1000

    private let store: any AuditLogStore
    private let hashing: any Hashing
    private let verifier: any Verifier

    package init(store: any AuditLogStore, hashing: any Hashing, verifier: any Verifier) {
        self.store = store
        self.hashing = hashing
        self.verifier = verifier
    }

    /// Entries that are appended meanwhile are looked at too. `progress` is told now and then how many entries were good
    /// so far.
    /// - Parameters:
    ///   - expected: a head that was noted earlier.
    ///   - archives: what was archived; without it, the chain begins after its signed end.
    ///   - archiveKey: the thumbprint of the key that must have signed it.
    package func verify(
        expecting expected: AuditHead? = nil, archives: [any AuditArchiveSource] = [], archiveKey: String? = nil,
        progress: (Int64) -> Void = { _ in }
    ) async throws -> Report {
        let state = try await store.auditLogState()
        var walk = Walk(expected: expected)
        func report(_ finding: Finding?) -> Report {
            Report(
                entries: walk.entries, head: walk.head.sequence > 0 ? walk.head : nil, finding: finding,
                archived: state.archived?.head, archiveKey: state.archived?.thumbprint(hashing))
        }
        guard state.isThere else { return report(.gone) }
        if let finding = try check(archives, state, key: archiveKey, &walk) { return report(finding) }
        // Below every number that an entry can have, so that one put in front is seen.
        var after = Int64.min
        while true {
            try Task.checkCancellation()
            let entries = try await store.chain(after: after, limit: Self.batch)
            for stored in entries {
                if let finding = step(stored, &walk) { return report(finding) }
            }
            guard entries.count == Self.batch, let last = entries.last else { break }
            after = last.sequence
            progress(walk.entries)
        }
        if let expected, walk.head.sequence < expected.sequence { return report(.ended(after: walk.head.sequence)) }
        if walk.head.sequence == state.archived?.head.sequence ?? 0, state.tenants > 0 {
            return report(.emptied(tenants: state.tenants))
        }
        return report(state.missingGuards.isEmpty ? nil : .unguarded(state.missingGuards))
    }

    /// The chain so far.
    private struct Walk {
        let expected: AuditHead?
        var head = AuditHead(sequence: 0, hash: AuditEntry.beginning)
        var entries: Int64 = 0
    }

    /// Sets the walk to where the entries of the store begin.
    private func check(
        _ archives: [any AuditArchiveSource], _ state: AuditLogState, key: String?, _ walk: inout Walk
    ) throws -> Finding? {
        if state.hasUnreadableArchive { return .unsigned("the database") }
        let base = state.archived
        if let base, !base.isSigned(verifier) || key.map({ $0 != base.thumbprint(hashing) }) ?? false {
            return .unsigned("the database")
        }
        var headed: [(source: any AuditArchiveSource, header: AuditArchive.Header)] = []
        for source in archives {
            guard let header = try source.header() else { return .torn(source.name) }
            headed.append((source, header))
        }
        headed.sort { $0.header.after.sequence < $1.header.after.sequence }
        var isBaseProven = base == nil
        for (source, header) in headed {
            let end = header.archived
            let hasKey =
                key.map { $0 == end.thumbprint(hashing) } ?? true
                && base.map { $0.publicKey.isSameKey(as: end.publicKey) } ?? true
            // An exchange of the master key may have replaced the key since. The chain from an older archive to the end
            // that the present key signed proves it, as `isBaseProven` says.
            let isBeforeBase = base.map { end.head.sequence < $0.head.sequence } ?? false
            guard end.isSigned(verifier), hasKey || isBeforeBase else { return .unsigned(source.name) }
            var finding: Finding?
            try source.entries { stored in
                guard let stored else {
                    finding = .torn(source.name)
                    return false
                }
                // An archiving that was interrupted is done again, with what was archived already left out.
                if stored.sequence <= walk.head.sequence { return true }
                finding = step(stored, &walk)
                if walk.head == base?.head { isBaseProven = true }
                return finding == nil
            }
            if let finding { return finding }
            if walk.head.sequence < header.archived.head.sequence { return .torn(source.name) }
            if walk.head.sequence == header.archived.head.sequence, walk.head != header.archived.head {
                return .anotherChain(at: walk.head.sequence)
            }
        }
        guard let base else {
            // The entries are all in the store as well.
            walk = Walk(expected: walk.expected)
            return nil
        }
        if !archives.isEmpty, !isBaseProven {
            return walk.head.sequence < base.head.sequence
                ? .missing(walk.head.sequence + 1...base.head.sequence) : .anotherChain(at: base.head.sequence)
        }
        if let expected = walk.expected, archives.isEmpty {
            if expected.sequence < base.head.sequence { return .archived(expected.sequence) }
            if expected.sequence == base.head.sequence, expected != base.head {
                return .anotherChain(at: expected.sequence)
            }
        }
        walk.entries -= max(0, walk.head.sequence - base.head.sequence)
        walk.head = base.head
        return nil
    }

    private func step(_ stored: StoredAuditEntry, _ walk: inout Walk) -> Finding? {
        if let finding = check(stored, after: walk.head) { return finding }
        walk.head = AuditHead(sequence: stored.sequence, hash: stored.hash ?? walk.head.hash)
        walk.entries += 1
        if walk.head.sequence == walk.expected?.sequence, walk.head != walk.expected {
            return .anotherChain(at: walk.head.sequence)
        }
        return nil
    }

    private func check(_ stored: StoredAuditEntry, after head: AuditHead) -> Finding? {
        let next = head.sequence + 1
        if stored.sequence < next { return .inserted(stored.sequence) }
        if stored.sequence > next { return .missing(next...stored.sequence - 1) }
        guard let entry = stored.entry, let hash = stored.hash else { return .unreadable(stored.sequence) }
        return entry.hash(after: head.hash, hashing) == hash ? nil : .altered(stored.sequence)
    }
}
