import Audit
package import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store: ApprovalStore {
    private static let insertApproval = StaticStatement(
        """
        INSERT INTO approval (id, tenant, client, "user", decided_at, expires_at, audit_entry, audit_hash,
            sealed_evidence)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        """)

    static func insert(
        _ evidence: [UInt8], of resolution: Resolution, to user: UserID, _ entry: AuditHead,
        _ connection: any Connection
    ) throws {
        try connection.execute(
            insertApproval(
                resolution.consent, resolution.tenant, resolution.client, user, resolution.now, resolution.expiresAt,
                entry.sequence, entry.hash.bytes, evidence))
    }

    /// The entry of the audit log is gone once it is archived.
    private static let approval = StaticStatement(
        """
        SELECT approval.client, approval."user", sealed_evidence, audit_entry, audit_hash, audit_log.id IS NULL
            OR (audit_log.hash = audit_hash AND audit_log.consent = approval.id)
        FROM approval LEFT JOIN audit_log ON audit_log.id = audit_entry
        WHERE approval.id = $1 AND approval.tenant = $2
        """)

    package func approval(_ consent: ConsentID, tenant: TenantID) async throws -> StoredApproval? {
        try await database.read { connection in
            guard let head = try Self.head(connection) else { return nil }
            return try connection.first(Self.approval(consent, tenant)) { row in
                StoredApproval(
                    consent: consent, tenant: tenant, client: try row.id(0), user: try row.id(1),
                    sealed: try row.blob(2),
                    entry: AuditHead(sequence: try row.int64(3), hash: Digest256(try row.blob(4))), head: head,
                    hasItsEntry: try row.bool(5))
            }
        }
    }

    private static let oldApprovals: StaticString =
        "SELECT sequence FROM approval WHERE tenant = $1 AND decided_at < $2 AND expires_at < $3"
    private static let hasOldApprovals = StaticStatement(oldApprovals, "LIMIT 1")
    private static let deleteOldApprovals = StaticStatement(
        "DELETE FROM approval WHERE sequence IN (", oldApprovals, "LIMIT $4)")

    /// Deletes a tenant's oldest decisions, at most as many as delay no other change for long.
    /// - Parameters:
    ///   - end: decisions before it are deleted, unless their request has not ended.
    /// - Returns: number of deleted decisions.
    @discardableResult
    package func sweepApprovals(of tenant: TenantID, decidedBefore end: Timestamp, now: Timestamp) async throws -> Int {
        // A read spares the writer's thread, because there is hardly ever one to delete.
        guard try await database.first(Self.hasOldApprovals(tenant, end, now), { try $0.int64(0) }) != nil else {
            return 0
        }
        return try await database.write { try $0.execute(Self.deleteOldApprovals(tenant, end, now, Self.sweepBatch)) }
    }
}
