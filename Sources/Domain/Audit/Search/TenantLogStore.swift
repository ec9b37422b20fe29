package import AuthorizationCore
package import Primitives

/// What reading a tenant's log needs of a store.
package protocol TenantLogStore: Sendable {
    /// The number of the last entry, of whichever tenant; 0 where there is none.
    func lastEntry() async throws -> Int64

    /// The entries of these numbers that match, at most `limit` of them, from the end that `newestFirst` says.
    func entries(
        of scope: LogScope, matching query: LogQuery, in numbers: ClosedRange<Int64>, newestFirst: Bool, limit: Int
    ) async throws -> [LoggedEntry]

    /// How many of the tenant's entries of these numbers match, counting no further than `limit`.
    func count(
        of tenant: TenantID, matching query: LogQuery, in numbers: ClosedRange<Int64>, limit: Int
    ) async throws -> Int

    /// What `DailyStatistics` counts, for each day on which there was something.
    func daily(_ tenant: TenantID, from: Timestamp, to: Timestamp) async throws -> [DailyCount]

    /// How many users logged in since then.
    func activeUsers(_ tenant: TenantID, since: Timestamp) async throws -> Int
}
