package import AuthorizationCore
package import Primitives

/// Store operations for reading a tenant's log.
package protocol TenantLogStore: Sendable {
    /// Number of the last entry of all tenants. 0 if there is none.
    func lastEntry() async throws -> Int64

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
