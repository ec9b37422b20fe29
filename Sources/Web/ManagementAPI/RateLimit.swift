import AuthorizationCore
import Primitives
import Synchronization

/// Counts the requests of each client within a minute. Soft state of one node: a limit against clients that run wild,
/// which nothing depends on.
final class RateLimit: Sendable {
    struct Standing: Sendable {
        let limit: Int
        let remaining: Int
        /// When the count begins anew, in seconds since 1970.
        let reset: Int64
        let isExceeded: Bool
    }

    private struct Key: Hashable {
        let tenant: TenantID
        let client: ClientID
    }

    private struct State {
        var minute: Int64 = 0
        var counts: [Key: Int] = [:]
    }

    private let state = Mutex(State())

    func count(_ client: ClientID, of tenant: Tenant, now: Timestamp) -> Standing {
        let limit = tenant.settings.managementRequestsPerMinute
        let minute = now.seconds / 60
        let count = state.withLock { state in
            if state.minute != minute {
                state.minute = minute
                state.counts.removeAll(keepingCapacity: true)
            }
            state.counts[Key(tenant: tenant.id, client: client), default: 0] += 1
            return state.counts[Key(tenant: tenant.id, client: client)] ?? 0
        }
        return Standing(
            limit: limit, remaining: max(0, limit - count), reset: (minute + 1) * 60, isExceeded: count > limit)
    }
}
