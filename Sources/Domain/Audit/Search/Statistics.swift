package import AuthorizationCore
package import Primitives

/// Counts of a tenant's log, for `/api/v2/stats`.
package struct Statistics: Sendable {
    /// Maximum days in an answer.
    package static let dayLimit = 366
    private static let activePeriod = Duration.seconds(30 * 86_400)

    private let store: any TenantLogStore

    package init(store: any TenantLogStore) { self.store = store }

    /// Users who logged in within the last 30 days.
    package func activeUsers(_ tenant: TenantID, now: Timestamp) async throws -> Int {
        try await store.activeUsers(tenant, since: now - Self.activePeriod)
    }

    /// Every day from `first` through `last`: the last `dayLimit` if there are more.
    package func daily(_ tenant: TenantID, from first: Timestamp, through last: Timestamp) async throws
        -> [DailyStatistics]
    {
        let end = Self.day(of: last)
        let start = max(Self.day(of: first), end - .seconds((Self.dayLimit - 1) * 86_400))
        guard start <= end else { return [] }
        var days = stride(from: start.seconds, through: end.seconds, by: 86_400).map {
            DailyStatistics(day: Timestamp(seconds: $0))
        }
        for counted in try await store.daily(tenant, from: start, to: end + .seconds(86_400)) {
            let index = Int((counted.day.seconds - start.seconds) / 86_400)
            guard days.indices.contains(index) else { continue }
            switch counted.kind {
            case .loggedIn: days[index].logins = counted.count
            case .signedUp: days[index].signUps = counted.count
            case .backchannelStarted: days[index].backchannelStarts = counted.count
            case .approved: days[index].approvals = counted.count
            case .rejected, .reported, .wrongNumber: days[index].rejections += counted.count
            default: break
            }
        }
        return days
    }

    /// The `YYYYMMDD` of `/stats/daily`.
    package static func day(_ text: String) -> Timestamp? {
        guard text.utf8.count == 8 else { return nil }
        let (year, rest) = (text.prefix(4), text.dropFirst(4))
        return Timestamp(iso8601: "\(year)-\(rest.prefix(2))-\(rest.dropFirst(2))T00:00:00Z")
    }

    private static func day(of moment: Timestamp) -> Timestamp {
        let seconds = moment.seconds
        return Timestamp(seconds: seconds - (seconds % 86_400 + 86_400) % 86_400)
    }
}
