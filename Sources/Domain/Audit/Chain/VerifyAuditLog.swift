package import JOSE
package import Primitives

/// Walks the audit log's chain from its first entry, or from the signed end of the archive, and recomputes every hash.
package struct VerifyAuditLog: Sendable {
    /// The first problem. Everything before it is intact, and nothing after it is proven.
    package enum Finding: Sendable, Equatable {
        /// Entries were removed or moved.
        case missing(ClosedRange<Int64>)
        /// The hash does not match the entry and the entry before: a column was altered, or the entry was moved here.
        case altered(Int64)
        /// A column is missing or has another type.
        case unreadable(Int64)
        /// The number is invalid for an entry: the entry was inserted.
        case inserted(Int64)
        /// The log ends before the expected entry: its end was removed.
        case ended(after: Int64)
        /// The chain is intact but does not contain the expected head: it was rewritten.
        case anotherChain(at: Int64)
        /// The table was dropped or replaced.
        case gone
        /// No entry is left although tenants exist, which leave some: all were removed.
        case emptied(tenants: Int)
        /// Every entry is intact, but these triggers against changing and deleting entries were dropped or altered.
        case unguarded([String])
        /// The installation's key, or the expected key, did not sign the archive's end.
        case unsigned(String)
        /// Invalid or incomplete archive.
        case torn(String)
        /// The expected entry is in an archive that was not given.
        case archived(Int64)
    }

    package struct Report: Sendable, Equatable {
        /// Number of intact entries.
        package let entries: Int64
        /// The last one.
        package let head: AuditHead?
        package let finding: Finding?
        /// The end of the archived entries. Nil means none.
        package var archived: AuditHead?
        /// Thumbprint of the signing key.
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

    /// Also verifies entries appended meanwhile. `progress` receives the number of intact entries from time to time.
    /// - Parameters:
    ///   - expected: A head that was noted earlier.
    ///   - archives: The archives. Without them, the chain begins after its signed end.
    ///   - archiveKey: Thumbprint of the key that must have signed the end.
    package func verify(
        expecting expected: AuditHead? = nil, archives: [any AuditArchiveSource] = [], archiveKey: String? = nil,
        progress: (Int64) -> Void = { _ in }
    ) async throws -> Report {
        let state = try await store.auditLogState()
        var walk = Walk(expected: expected)
        func report(_ finding: Finding?) -> Report { self.report(finding, walk, state) }
        guard state.isThere else { return report(.gone) }
        if let finding = try check(archives, state, key: archiveKey, &walk) { return report(finding) }
        // Below every valid number, to find entries inserted in front.
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
        return report(conclusion(walk, state))
    }

    /// Verifies at most the last `count` entries, which takes a bounded time. Takes the entry before them as given, so it
    /// detects no change that was chained up to the end.
    package func verifyEnd(_ count: Int) async throws -> Report {
        let state = try await store.auditLogState()
        var walk = Walk(expected: nil)
        func report(_ finding: Finding?) -> Report { self.report(finding, walk, state) }
        guard state.isThere else { return report(.gone) }
        if state.hasUnreadableArchive { return report(.unsigned("the database")) }
        let last = try await store.auditHead()?.sequence ?? 0
        let archived = state.archived?.head.sequence ?? 0
        let first = max(archived, last - Int64(count))
        if let base = state.archived?.head, first == archived {
            walk.head = base
        } else if first > 0 {
            guard let before = try await store.chain(after: first - 1, limit: 1).first, before.sequence == first else {
                return report(.missing(first...first))
            }
            guard let hash = before.hash else { return report(.unreadable(first)) }
            walk.head = AuditHead(sequence: first, hash: hash)
        }
        for stored in try await store.chain(after: first, limit: count) {
            if let finding = step(stored, &walk) { return report(finding) }
        }
        return report(conclusion(walk, state))
    }

    private func report(_ finding: Finding?, _ walk: Walk, _ state: AuditLogState) -> Report {
        Report(
            entries: walk.entries, head: walk.head.sequence > 0 ? walk.head : nil, finding: finding,
            archived: state.archived?.head, archiveKey: state.archived?.thumbprint(hashing))
    }

    /// Finding after a walk to the end without another one.
    private func conclusion(_ walk: Walk, _ state: AuditLogState) -> Finding? {
        if walk.head.sequence == state.archived?.head.sequence ?? 0, state.tenants > 0 {
            return .emptied(tenants: state.tenants)
        }
        return state.missingGuards.isEmpty ? nil : .unguarded(state.missingGuards)
    }

    private struct Walk {
        let expected: AuditHead?
        var head = AuditHead(sequence: 0, hash: AuditEntry.beginning)
        var entries: Int64 = 0
    }

    /// Moves the walk to the store's first entry.
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
            // A change of the master key may have replaced the key. The chain from the older archive to the end signed
            // by the present key proves the archive: see `isBaseProven`.
            let isBeforeBase = base.map { end.head.sequence < $0.head.sequence } ?? false
            guard end.isSigned(verifier), hasKey || isBeforeBase else { return .unsigned(source.name) }
            var finding: Finding?
            try source.entries { stored in
                guard let stored else {
                    finding = .torn(source.name)
                    return false
                }
                // Interrupted archiving is repeated without the entries archived already.
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
            // The store still has all entries.
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
