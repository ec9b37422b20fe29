package import AuthorizationCore

/// Reads a tenant's log, for `/api/v2/logs` and `countersign log`.
package struct TenantLogs: Sendable {
    /// Maximum entries that pages reach. Checkpoints reach all.
    package static let depthLimit = 10_000
    /// Entries of all tenants per read: few at first, where most searches end, and never so many that a rare match
    /// delays other reads. One user's are found without reading others.
    private static let (firstWindow, lastWindow, lastWindowOfOneUser): (Int64, Int64, Int64) = (1024, 32_768, 1_048_576)

    private let store: any TenantLogStore

    package init(store: any TenantLogStore) { self.store = store }

    /// Matching entries from `offset`, newest or oldest first, up to `depthLimit`.
    package func page(
        _ query: LogQuery = .everything, of scope: LogScope, offset: Int = 0, limit: Int, oldestFirst: Bool = false
    ) async throws -> [LogRecord] {
        let end = min(offset + limit, Self.depthLimit)
        guard offset >= 0, offset < end else { return [] }
        let last = try await store.lastEntry()
        guard last > 0 else { return [] }
        let found = try await entries(query, of: scope, in: 1...last, newestFirst: !oldestFirst, limit: end)
        return found.dropFirst(offset).map(LogRecord.init)
    }

    /// Number of matching entries, at most `depthLimit`.
    package func total(_ query: LogQuery = .everything, of tenant: TenantID) async throws -> Int {
        let last = try await store.lastEntry()
        var total = 0
        for window in Self.windows(of: query, in: last > 0 ? 1...last : nil, newestFirst: true) {
            try Task.checkCancellation()
            total += try await store.count(of: tenant, matching: query, in: window, limit: Self.depthLimit - total)
            guard total < Self.depthLimit else { break }
            await Task.yield()
        }
        return total
    }

    /// Entries after the checkpoint, oldest first. Nil starts at the beginning. Continue with the last record's id, or
    /// with the same checkpoint if the result is empty. An entry that appears later has a higher number.
    package func following(
        _ checkpoint: LogID?, _ query: LogQuery = .everything, of scope: LogScope, limit: Int
    ) async throws -> [LogRecord] {
        let first = (checkpoint?.sequence ?? 0) + 1
        let last = try await store.settledEntry()
        guard last >= first else { return [] }
        return try await entries(query, of: scope, in: first...last, newestFirst: false, limit: limit)
            .map(LogRecord.init)
    }

    /// Entries before the checkpoint, newest first. Nil starts with the newest. Continue with the last record's id.
    package func preceding(
        _ checkpoint: LogID?, _ query: LogQuery = .everything, of scope: LogScope, limit: Int
    ) async throws -> [LogRecord] {
        let last: Int64
        if let checkpoint { last = checkpoint.sequence - 1 } else { last = try await store.lastEntry() }
        guard last > 0 else { return [] }
        return try await entries(query, of: scope, in: 1...last, newestFirst: true, limit: limit).map(LogRecord.init)
    }

    /// Nil if the tenant has no such entry.
    package func record(_ id: LogID, of tenant: TenantID) async throws -> LogRecord? {
        try await store.entries(
            of: .tenant(tenant), matching: .everything, in: id.sequence...id.sequence, newestFirst: true, limit: 1
        ).first.map(LogRecord.init)
    }

    /// True if a tenant of this name ever left an entry.
    package func knows(_ tenant: TenantID) async throws -> Bool {
        !(try await page(of: .tenant(tenant), limit: 1).isEmpty)
    }

    /// Checkpoint for `following` that skips present entries.
    package func end() async throws -> LogID { LogID(sequence: try await store.settledEntry()) }

    private func entries(
        _ query: LogQuery, of scope: LogScope, in numbers: ClosedRange<Int64>, newestFirst: Bool, limit: Int
    ) async throws -> [LoggedEntry] {
        var found: [LoggedEntry] = []
        for window in Self.windows(of: query, in: numbers, newestFirst: newestFirst) {
            try Task.checkCancellation()
            found += try await store.entries(
                of: scope, matching: query, in: window, newestFirst: newestFirst, limit: limit - found.count)
            guard found.count < limit else { break }
            await Task.yield()
        }
        return found
    }

    private static func windows(
        of query: LogQuery, in numbers: ClosedRange<Int64>?, newestFirst: Bool
    ) -> some Sequence<ClosedRange<Int64>> {
        let limit = query.isOfOneUser ? lastWindowOfOneUser : lastWindow
        return sequence(state: (rest: numbers, size: firstWindow)) { state -> ClosedRange<Int64>? in
            guard let rest = state.rest else { return nil }
            let size = min(state.size, limit)
            state.size = size * 2
            if rest.upperBound - rest.lowerBound < size {
                state.rest = nil
                return rest
            }
            if newestFirst {
                let start = rest.upperBound - size + 1
                state.rest = rest.lowerBound...start - 1
                return start...rest.upperBound
            }
            let end = rest.lowerBound + size - 1
            state.rest = end + 1...rest.upperBound
            return rest.lowerBound...end
        }
    }
}
