import AuthorizationCore
import Primitives
import Synchronization

/// About how many undecided requests each tenant has: kept in memory, because counting a million rows for every
/// start would cost more than the limit is worth. A process counts them once when it begins, and the sweep sets it right.
final class PendingGauge: Sendable {
    private let counts = Mutex<[TenantID: Int]>([:])

    func count(of tenant: TenantID) -> Int { counts.withLock { $0[tenant] ?? 0 } }

    func add(_ change: Int, to tenant: TenantID) {
        counts.withLock { $0[tenant] = max(0, ($0[tenant] ?? 0) + change) }
    }

    func set(_ counted: [TenantID: Int]) { counts.withLock { $0 = counted } }
}
