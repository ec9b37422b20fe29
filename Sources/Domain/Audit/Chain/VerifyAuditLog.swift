package import JOSE
package import Primitives

/// Walks the chain of each lane of the audit log from its first entry, or from the signed end of the archive, and
/// recomputes every hash. Each lane must reach what the signed tree heads say of it.
package struct VerifyAuditLog: Sendable {
    /// The first problem. Everything before it is intact, and nothing after it is proven.
    package enum Finding: Sendable, Equatable {
        /// Entries were removed or moved. All are of one lane.
        case missing(ClosedRange<AuditPlace>)
        /// The hash does not match the entry and the entry before: a column was altered, or the entry was moved here.
        case altered(AuditPlace)
        /// A column is missing or has another type.
        case unreadable(AuditPlace)
        /// The number is invalid for an entry: the entry was inserted.
        case inserted(AuditPlace)
        /// The lane ends before the expected entry: its end was removed.
        case ended(after: AuditPlace)
        /// The lane ends before an entry that this tree head covers: its end, or all of it, was removed.
        case cutOff(after: AuditPlace, treeHead: Int64)
        /// The chain is intact but does not contain the expected head: it was rewritten.
        case anotherChain(at: AuditPlace)
        /// The tree head is missing, was altered, or contradicts the one before.
        case treeHead(Int64)
        /// The table was dropped or replaced.
        case gone
        /// No entry is left although tenants exist, which leave some: all were removed.
        case emptied(tenants: Int)
        /// Every entry is intact, but these triggers against changing and deleting entries were dropped or altered.
        case unguarded([String])
        /// The installation's key, or the expected key, did not sign the archive's end or the last tree head.
        case unsigned(String)
        /// Invalid or incomplete archive.
        case torn(String)
        /// The expected entry is in an archive that was not given.
        case archived(AuditPlace)
        /// The expected tree head left with the entries that it covers.
        case archivedTreeHead(Int64)
    }

    package struct Report: Sendable, Equatable {
        /// Number of intact entries.
        package let entries: Int64
        /// The last intact entry of each lane that was walked.
        package let heads: AuditHeads
        package let finding: Finding?
        /// The end of the archived entries. Nil means none.
        package var archived: AuditHeads?
        /// Thumbprint of the signing key.
        package var archiveKey: String?
        /// The last tree head. Nil means none, or that they were not read.
        package var treeHead: AuditTreeHead?
    }

    static let batch = 1000

    let store: any AuditLogStore
    let hashing: any Hashing
    let verifier: any Verifier

    package init(store: any AuditLogStore, hashing: any Hashing, verifier: any Verifier) {
        self.store = store
        self.hashing = hashing
        self.verifier = verifier
    }

    /// Also verifies entries appended meanwhile. `progress` receives the number of intact entries from time to time.
    /// - Parameters:
    ///   - expected: Heads that were noted earlier.
    ///   - treeHead: A tree head that was noted earlier.
    ///   - archives: The archives. Without them, the chains begin after their signed end.
    ///   - archiveKey: Thumbprint of the key that must have signed the last tree head, or the archive's end if there is
    ///     no tree head.
    package func verify(
        expecting expected: AuditHeads = AuditHeads(), treeHead: AuditTreeHead.ID? = nil,
        archives: [any AuditArchiveSource] = [], archiveKey: String? = nil, progress: (Int64) -> Void = { _ in }
    ) async throws -> Report {
        let state = try await store.auditLogState()
        var walk = Walk(expected: expected)
        func report(_ finding: Finding?) -> Report { self.report(finding, walk, state) }
        guard state.isThere else { return report(.gone) }
        if state.hasUnreadableArchive { return report(.unsigned("the database")) }
        if let finding = try await checkTreeHeads(state.archived, expecting: treeHead, key: archiveKey, &walk) {
            return report(finding)
        }
        if let finding = try check(archives, state, key: archiveKey, &walk) { return report(finding) }
        let present = try await store.auditHeads()
        let lanes = [present, walk.heads, walk.treeHead?.heads ?? AuditHeads(), expected].flatMap(\.all).map(
            \.place.lane)
        for lane in Set(lanes).sorted() {
            if let finding = try await self.walk(lane, &walk, progress) { return report(finding) }
        }
        return report(conclusion(walk, state))
    }

    /// Walks one lane through the store to its end.
    private func walk(_ lane: Int64, _ walk: inout Walk, _ progress: (Int64) -> Void) async throws -> Finding? {
        var marks = TreeMarks(lane: lane, until: walk.treeHead?.id.number ?? 0, from: walk.firstTreeHead)
        if let finding = try await marks.check(walk.heads[lane], self) { return finding }
        // Below every valid place, to find entries inserted in front.
        var after = Int64.min
        while true {
            try Task.checkCancellation()
            let entries = try await store.chain(of: lane, after: after, limit: Self.batch)
            for stored in entries {
                if let finding = step(stored, &walk) { return finding }
                walk.stored += 1
                if let finding = try await marks.check(walk.heads[lane], self) { return finding }
            }
            guard entries.count == Self.batch, let last = entries.last else { break }
            after = last.place.number
            progress(walk.entries)
        }
        let end = walk.heads[lane]?.place ?? AuditPlace(lane: lane, 0)
        if let mark = marks.next { return .cutOff(after: end, treeHead: mark.treeHead) }
        if let expected = walk.expected[lane], end < expected.place { return .ended(after: end) }
        return nil
    }

    /// Verifies at most the last `count` entries, which takes a bounded time, and what the last tree head says. Takes the
    /// entry before them in each lane as given, so it detects no change that was chained up to the end.
    package func verifyEnd(_ count: Int) async throws -> Report {
        let state = try await store.auditLogState()
        var walk = Walk(expected: AuditHeads())
        func report(_ finding: Finding?) -> Report { self.report(finding, walk, state) }
        guard state.isThere else { return report(.gone) }
        if state.hasUnreadableArchive { return report(.unsigned("the database")) }
        for stored in try await store.lastEntries(count + 1) {
            let lane = stored.place.lane
            walk.stored += 1
            if walk.heads[lane] == nil {
                walk.heads[lane] = state.archived?.heads[lane]
                if stored.place.number != walk.next(in: lane) {
                    guard let hash = stored.hash else { return report(.unreadable(stored.place)) }
                    walk.heads[lane] = AuditHead(place: stored.place, hash: hash)
                    continue
                }
            }
            if let finding = step(stored, &walk) { return report(finding) }
        }
        if let stored = try await store.lastTreeHead() {
            guard let last = AuditTreeHead(stored.statement, hashing), last.id.number == stored.number,
                last.isSigned(verifier)
            else {
                return report(.treeHead(stored.number))
            }
            walk.treeHead = last
            let present = try await store.auditHeads()
            for head in last.heads.all {
                let end = present[head.place.lane] ?? state.archived?.heads[head.place.lane]
                guard let end, end.place >= head.place else {
                    return report(
                        .cutOff(
                            after: end?.place ?? AuditPlace(lane: head.place.lane, 0), treeHead: last.id.number))
                }
            }
        }
        return report(conclusion(walk, state))
    }

    private func report(_ finding: Finding?, _ walk: Walk, _ state: AuditLogState) -> Report {
        Report(
            entries: walk.entries, heads: walk.heads, finding: finding, archived: state.archived?.heads,
            archiveKey: state.archived?.thumbprint(hashing), treeHead: walk.treeHead)
    }

    /// Finding after a walk to the end without another one.
    private func conclusion(_ walk: Walk, _ state: AuditLogState) -> Finding? {
        if walk.stored == 0, state.tenants > 0 { return .emptied(tenants: state.tenants) }
        return state.missingGuards.isEmpty ? nil : .unguarded(state.missingGuards)
    }

    struct Walk {
        let expected: AuditHeads
        var heads = AuditHeads()
        /// Intact entries.
        var entries: Int64 = 0
        /// Those of the store.
        var stored: Int64 = 0
        /// Number before the first tree head of the store.
        var firstTreeHead: Int64 = 0
        /// The last one.
        var treeHead: AuditTreeHead?

        func next(in lane: Int64) -> Int64 { (heads[lane]?.place.number ?? 0) + 1 }
    }

    func step(_ stored: StoredAuditEntry, _ walk: inout Walk) -> Finding? {
        let lane = stored.place.lane
        let before = walk.heads[lane]
        let next = (before?.place.number ?? 0) + 1
        if stored.place.number < next { return .inserted(stored.place) }
        if stored.place.number > next {
            return .missing(AuditPlace(lane: lane, next)...AuditPlace(lane: lane, stored.place.number - 1))
        }
        guard let entry = stored.entry, let hash = stored.hash else { return .unreadable(stored.place) }
        guard entry.hash(after: before?.hash ?? AuditEntry.beginning, hashing) == hash else {
            return .altered(stored.place)
        }
        let head = AuditHead(place: stored.place, hash: hash)
        walk.heads[lane] = head
        walk.entries += 1
        if let expected = walk.expected[lane], expected.place == head.place, expected != head {
            return .anotherChain(at: head.place)
        }
        return nil
    }
}
