import AuthorizationCore
import Synchronization

/// Approximate number of undecided requests of each tenant. Kept in memory: counting a million rows for every start
/// costs too much. A process counts them once at its start, and each sweep corrects the number.
final class PendingGauge: Sendable {
    private let counts = Mutex<[TenantID: Int]>([:])

    func count(of tenant: TenantID) -> Int { counts.withLock { $0[tenant] ?? 0 } }

    func add(_ change: Int, to tenant: TenantID) { counts.withLock { $0[tenant] = max(0, ($0[tenant] ?? 0) + change) } }

    func set(_ counted: [TenantID: Int]) { counts.withLock { $0 = counted } }
}
