public import Primitives

/// Walks the chain of the audit log from its first entry and computes every hash anew.
public struct VerifyAuditLog: Sendable {
    /// What is wrong first. Everything before it is as it was written, and nothing after it is proven.
    public enum Finding: Sendable, Equatable {
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
    }

    public struct Report: Sendable, Equatable {
        /// How many entries were found to be as they were written.
        public let entries: Int64
        /// The last of them.
        public let head: AuditHead?
        public let finding: Finding?
    }

    private static let batch = 1000

    private let store: any AuditLogStore
    private let hashing: any Hashing

    public init(store: any AuditLogStore, hashing: any Hashing) {
        self.store = store
        self.hashing = hashing
    }

    /// Entries that are appended meanwhile are looked at too. `expected` is a head that was noted earlier; `progress`
    /// is told now and then how many entries were good so far.
    public func verify(
        expecting expected: AuditHead? = nil, progress: (Int64) -> Void = { _ in }
    ) async throws -> Report {
        var head = AuditHead(sequence: 0, hash: AuditEntry.beginning)
        // Below every number that an entry can have, so that one put in front is seen.
        var after = Int64.min
        func report(_ finding: Finding?) -> Report {
            Report(entries: head.sequence, head: head.sequence > 0 ? head : nil, finding: finding)
        }
        let state = try await store.auditLogState()
        guard state.isThere else { return report(.gone) }
        while true {
            try Task.checkCancellation()
            let entries = try await store.chain(after: after, limit: Self.batch)
            for stored in entries {
                if let finding = check(stored, after: head) { return report(finding) }
                head = AuditHead(sequence: stored.sequence, hash: stored.hash ?? head.hash)
                if head.sequence == expected?.sequence, head != expected {
                    return report(.anotherChain(at: head.sequence))
                }
            }
            guard entries.count == Self.batch, let last = entries.last else { break }
            after = last.sequence
            progress(head.sequence)
        }
        if let expected, head.sequence < expected.sequence { return report(.ended(after: head.sequence)) }
        if head.sequence == 0, state.tenants > 0 { return report(.emptied(tenants: state.tenants)) }
        return report(state.missingGuards.isEmpty ? nil : .unguarded(state.missingGuards))
    }

    private func check(_ stored: StoredAuditEntry, after head: AuditHead) -> Finding? {
        let next = head.sequence + 1
        if stored.sequence < next { return .inserted(stored.sequence) }
        if stored.sequence > next { return .missing(next...stored.sequence - 1) }
        guard let entry = stored.entry, let hash = stored.hash else { return .unreadable(stored.sequence) }
        return entry.hash(after: head.hash, hashing) == hash ? nil : .altered(stored.sequence)
    }
}
