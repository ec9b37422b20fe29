import AuthorizationCore
import Configuration
import Primitives
import SQL

/// Imports and exports of users.
extension StoredConfiguration {
    private static let columns: StaticString =
        "tenant, id, kind, status, sealed_order, parts, place, inserted, updated, failed, created_at, ended_at, is_limited"

    private func jobs(_ condition: SQLFragment) throws -> [UserJob] {
        try connection.query("SELECT \(raw: Self.columns.description) FROM user_job WHERE \(condition)") { row in
            guard let kind = UserJob.Kind(rawValue: try row.text(2)),
                let status = UserJob.Status(rawValue: try row.text(3))
            else { throw CorruptRow(what: "user_job") }
            var job = UserJob(
                id: try row.text(1), tenant: try row.id(0), kind: kind, isLimited: try row.bool(12),
                sealedOrder: try row.blob(4), parts: try row.int(5), createdAt: try row.timestamp(10))
            job.status = status
            job.place = try row.int(6)
            job.counts = UserJob.Counts(
                inserted: try row.int(7), updated: try row.int(8), failed: try row.int(9))
            job.endedAt = try row.isNull(11) ? nil : row.timestamp(11)
            return job
        }
    }

    func job(_ id: String, in tenant: TenantID, since: Timestamp) throws -> UserJob? {
        try jobs("tenant = \(tenant) AND id = \(id) AND created_at >= \(since)").first
    }

    func unfinishedJobs(of tenant: TenantID?, limit: Int) throws -> [UserJob] {
        let theirs: SQLFragment = tenant.map { "AND tenant = \($0)" } ?? ""
        return try jobs("ended_at IS NULL \(theirs) ORDER BY sequence LIMIT \(limit)")
    }

    func part(_ number: Int, of job: UserJob) throws -> [UInt8]? {
        try connection.first(
            """
            SELECT sealed FROM user_job_part WHERE tenant = \(job.tenant) AND job = \(job.id) AND number = \(number)
            """
        ) { try $0.blob(0) }
    }

    func errors(of job: UserJob, after: Int, limit: Int) throws -> [UserJobError] {
        try connection.query(
            """
            SELECT number, document FROM user_job_error
            WHERE tenant = \(job.tenant) AND job = \(job.id) AND number > \(after) ORDER BY number LIMIT \(limit)
            """
        ) { row in
            UserJobError(
                number: try row.int(0), document: try JSONValue(stored: try row.text(1)).objectValue ?? [:])
        }
    }

    /// Counts and writes in one statement, behind the lock of the configuration, so that no two jobs take one place.
    func add(_ job: UserJob, parts: [[UInt8]], limit: Int) throws -> Bool {
        let added = try connection.execute(
            """
            INSERT INTO user_job (tenant, id, kind, is_limited, status, sealed_order, parts, place, inserted, updated,
                failed, created_at, ended_at)
            SELECT \(job.tenant), \(job.id), \(job.kind.rawValue), \(job.isLimited), \(job.status.rawValue),
                \(job.sealedOrder), \(job.parts), \(job.place), 0, 0, 0, \(job.createdAt), \(job.endedAt)
            WHERE \(job.isLimited) = 0 OR \(limit) > (
                SELECT count(*) FROM user_job
                WHERE tenant = \(job.tenant) AND kind = \(job.kind.rawValue) AND is_limited = 1 AND ended_at IS NULL)
            """)
        guard added == 1 else { return false }
        for (number, part) in parts.enumerated() { try put(part, number, of: job) }
        return true
    }

    private func put(_ part: [UInt8], _ number: Int, of job: UserJob) throws {
        try connection.execute(
            """
            INSERT INTO user_job_part (tenant, job, number, sealed)
            VALUES (\(job.tenant), \(job.id), \(number), \(part))
            """)
    }

    func advance(
        _ job: UserJob, from place: Int, adding parts: [Int: [UInt8]], errors: [UserJobError]
    ) throws -> Bool {
        let changed = try connection.execute(
            """
            UPDATE user_job SET status = \(job.status.rawValue), parts = \(job.parts), place = \(job.place),
                inserted = \(job.counts.inserted), updated = \(job.counts.updated), failed = \(job.counts.failed),
                ended_at = \(job.endedAt)
            WHERE tenant = \(job.tenant) AND id = \(job.id) AND place = \(place) AND status NOT IN ('completed', 'failed')
            """)
        guard changed == 1 else { return false }
        if job.kind == .usersImport {
            let isOver: SQLFragment = job.endedAt == nil ? "AND number < \(job.place)" : ""
            try connection.execute(
                "DELETE FROM user_job_part WHERE tenant = \(job.tenant) AND job = \(job.id) \(isOver)")
        }
        for (number, part) in parts { try put(part, number, of: job) }
        for error in errors {
            try connection.execute(
                """
                INSERT INTO user_job_error (tenant, job, number, document)
                VALUES (\(job.tenant), \(job.id), \(error.number), \(JSONWriter.string(.object(error.document))))
                """)
        }
        return true
    }
}
