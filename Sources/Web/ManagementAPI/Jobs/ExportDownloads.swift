import Administration
import AuthorizationCore
import Configuration
import Synchronization

/// Files of exports that are being sent. Each holds one part in memory for as long as its client likes to take, so a tenant
/// has few of them.
final class ExportDownloads: Sendable {
    /// Files of a tenant that are sent at once.
    static let limit = 4

    private let open = Mutex<[TenantID: Int]>([:])

    init() {}

    func begin(_ made: ManageUserJobs.Made, of jobs: ManageUserJobs) throws(ManagementFailure) -> Download {
        let tenant = made.job.tenant
        let hasPlace = open.withLock { open in
            guard open[tenant, default: 0] < Self.limit else { return false }
            open[tenant, default: 0] += 1
            return true
        }
        guard hasPlace else { throw .tooManyDownloads(limit: Self.limit) }
        return Download(made, jobs, self)
    }

    private func end(_ tenant: TenantID) {
        open.withLock { open in
            let rest = open[tenant, default: 0] - 1
            open[tenant] = rest > 0 ? rest : nil
        }
    }

    /// One file. Its place is free again when nobody holds it any more: the response is sent, or its client has left.
    final class Download: Sendable {
        private let made: ManageUserJobs.Made
        private let jobs: ManageUserJobs
        private let downloads: ExportDownloads
        private let number = Mutex(0)

        fileprivate init(_ made: ManageUserJobs.Made, _ jobs: ManageUserJobs, _ downloads: ExportDownloads) {
            self.made = made
            self.jobs = jobs
            self.downloads = downloads
        }

        deinit { downloads.end(made.job.tenant) }

        /// The next part. Nil behind the last.
        func next() async throws -> [UInt8]? {
            let part = number.withLock { number in
                defer { number += 1 }
                return number
            }
            return try await jobs.text(part, of: made).map { Array($0.utf8) }
        }
    }
}
