import Audit
package import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store: ApprovalStore {
    private static let insertApproval = StaticStatement(
        """
        INSERT INTO approval (id, tenant, client, "user", decided_at, audit_entry, audit_hash, sealed_evidence)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        """)

    static func insert(
        _ resolution: Resolution, of user: UserID, _ entry: AuditHead, _ connection: any Connection
    ) throws {
        try connection.execute(
            insertApproval(
                resolution.consent, resolution.tenant, resolution.client, user, resolution.now, entry.sequence,
                entry.hash.bytes, resolution.evidence))
    }

    private static let approval = StaticStatement(
        #"SELECT client, "user", sealed_evidence, audit_entry, audit_hash FROM approval WHERE id = $1 AND tenant = $2"#)

    package func approval(_ consent: ConsentID, tenant: TenantID) async throws -> StoredApproval? {
        try await database.read { connection in
            guard let head = try Self.head(connection) else { return nil }
            return try connection.first(Self.approval(consent, tenant)) { row in
                StoredApproval(
                    consent: consent, tenant: tenant, client: try row.id(0), user: try row.id(1),
                    sealed: try row.blob(2),
                    entry: AuditHead(sequence: try row.int64(3), hash: Digest256(try row.blob(4))), head: head)
            }
        }
    }

    private static let oldApprovals = StaticStatement(
        "SELECT sequence, tenant, decided_at FROM approval WHERE sequence > $1 ORDER BY sequence LIMIT $2")

    /// Deletes decisions whose retention is over. Decisions are in the order of their time, so this stops at the first
    /// one that even the shortest retention keeps.
    /// - Parameters:
    ///   - sequence: end of the last step; 0 begins anew.
    ///   - retention: time that a tenant keeps decisions.
    package func sweepApprovals(
        after sequence: inout Int64, now: Timestamp, retention: @Sendable (TenantID) -> Duration
    ) async throws {
        let rows = try await database.query(Self.oldApprovals(sequence, Self.sweepStep)) { row in
            (sequence: try row.int64(0), tenant: try row.id(1, of: Tenant.self), decidedAt: try row.timestamp(2))
        }
        let old = rows.prefix { now - $0.decidedAt >= .seconds(TenantSettings.approvalRetentionRange.lowerBound) }
        try await inBatches(old.filter { now - $0.decidedAt >= retention($0.tenant) }.map(\.sequence)) {
            try $1.execute("DELETE FROM approval WHERE sequence = \($0)")
        }
        sequence = old.count == Self.sweepStep ? old.last?.sequence ?? 0 : 0
    }
}
