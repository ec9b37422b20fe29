package import AuthorizationCore
package import Primitives

/// Store operations for reading a tenant's log.
package protocol TenantLogStore: Sendable {
    /// Number of the last entry of all tenants. 0 if there is none.
    func lastEntry() async throws -> Int64

    /// Number up to which no further entry can appear. Entries of several lanes may appear in another order than that of
    /// their numbers.
    func settledEntry() async throws -> Int64

    /// Matching entries in `numbers`: the newest or oldest `limit`.
    func entries(
        of scope: LogScope, matching query: LogQuery, in numbers: ClosedRange<Int64>, newestFirst: Bool, limit: Int
    ) async throws -> [LoggedEntry]

    /// Number of matching entries in `numbers`, at most `limit`.
    func count(
        of tenant: TenantID, matching query: LogQuery, in numbers: ClosedRange<Int64>, limit: Int
    ) async throws -> Int

    /// Counts for `DailyStatistics`, for each day with events.
    func daily(_ tenant: TenantID, from: Timestamp, to: Timestamp) async throws -> [DailyCount]

    /// Users who logged in since then.
    func activeUsers(_ tenant: TenantID, since: Timestamp) async throws -> Int
}

/// The tenants whose entries are read.
package enum LogScope: Sendable, Equatable {
    /// One tenant, possibly deleted.
    case tenant(TenantID)
    /// All tenants, including deleted ones: for readers of the whole store.
    case allTenants
}

/// An entry and its user's current name.
package struct LoggedEntry: Sendable, Equatable {
    package let entry: AuditEntry
    package let userName: String?

    package init(entry: AuditEntry, userName: String?) {
        self.entry = entry
        self.userName = userName
    }
}

/// Number of events of one kind on a day.
package struct DailyCount: Sendable, Equatable {
    package let kind: AuditEvent.Kind
    /// Start of the day in UTC.
    package let day: Timestamp
    package let count: Int

    package init(kind: AuditEvent.Kind, day: Timestamp, count: Int) {
        self.kind = kind
        self.day = day
        self.count = count
    }
}
