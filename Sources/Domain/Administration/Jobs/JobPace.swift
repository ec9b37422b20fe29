import AuthorizationCore
import Configuration
import Primitives
import Synchronization

/// Pace of each tenant's jobs on this node. A file of one request has thousands of users, and each who is written leaves
/// an entry in the log, which is never pruned. So a tenant's jobs write as many users a minute as one of its programs
/// could write one by one (`management_requests_per_minute`).
///
/// Exports leave no entries, but copies of the users, which are kept for a day. They are ten times as quick.
package final class JobPace: Sendable {
    /// A tenant may save up so much: the users of a minute are written at once.
    private static let saved = Duration.seconds(60)
    private static let exportFactor = 10

    private struct Used {
        /// Time up to which the pace is used.
        var end: Timestamp
        let countedAt: Timestamp
    }

    private let used = Mutex<[TenantID: Used]>([:])

    package init() {}

    /// False if the tenant's jobs have to wait.
    func admits(_ tenant: TenantID, now: Timestamp) -> Bool {
        used.withLock { used in
            guard let last = used[tenant] else { return true }
            // Everything is saved again, or the clock was set back, which must not stop the jobs.
            if last.end + Self.saved <= now || now < last.countedAt { used[tenant] = nil }
            return used[tenant] == nil || last.end <= now
        }
    }

    /// Counts the users of a part. A part is never cut, so that those that follow wait for what it took too much.
    func count(_ users: Int, of job: UserJob, perMinute: Int, now: Timestamp) {
        let factor = job.kind == .usersExport ? Self.exportFactor : 1
        let duration = Duration.milliseconds(users * 60_000 / (max(1, perMinute) * factor))
        used.withLock { used in
            let saved = now - Self.saved
            used[job.tenant] = Used(end: max(used[job.tenant]?.end ?? saved, saved) + duration, countedAt: now)
        }
    }
}
