package import Audit
package import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store: ApprovalStore {
    private static let insertApproval = StaticStatement(
        """
        INSERT INTO approval (id, tenant, client, "user", kept_until, audit_entry, audit_lane, audit_place, audit_hash,
            sealed_evidence)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """)

    static func insert(
        _ evidence: [UInt8], of resolution: Resolution, to user: UserID, _ entry: LoggedPlace,
        _ connection: any Connection
    ) throws {
        try connection.perform(
            insertApproval(
                resolution.consent, resolution.tenant, resolution.client, user, resolution.keptUntil,
                entry.number, entry.head.place.lane, entry.head.place.number, entry.head.hash.bytes, evidence))
    }

    /// The entry of the audit log is gone once it is archived.
    static let approvalColumns: StaticString = """
        SELECT approval.id, approval.client, approval."user", sealed_evidence, audit_entry, audit_lane,
            audit_place, audit_hash,
            audit_log.id IS NULL OR (audit_log.hash = audit_hash AND audit_log.consent = approval.id)
        FROM approval LEFT JOIN audit_log ON audit_log.id = audit_entry
        """
    private static let approval = StaticStatement(
        approvalColumns, "WHERE approval.id = $1 AND approval.tenant = $2")
    static let approvalsOfUser = StaticStatement(
        approvalColumns,
        """
        WHERE approval.tenant = $1 AND approval."user" = $2 AND audit_entry < $3 ORDER BY audit_entry DESC LIMIT $4
        """)

    static func stored(_ row: borrowing Row, of tenant: TenantID) throws -> StoredApproval {
        StoredApproval(
            consent: try row.id(0), tenant: tenant, client: try row.id(1), user: try row.id(2),
            sealed: try row.blob(3), entryNumber: try row.int64(4),
            entry: AuditHead(
                place: AuditPlace(lane: try row.int64(5), try row.int64(6)), hash: Digest256(try row.blob(7))),
            hasItsEntry: try row.bool(8))
    }

    package func approval(
        _ consent: ConsentID, tenant: TenantID
    ) async throws -> (approval: StoredApproval, head: AuditHead)? {
        try await database.read { connection in
            let found = try connection.first(Self.approval(consent, tenant)) { try Self.stored($0, of: tenant) }
            guard let found else { return nil }
            // The lane of a decision that came from another installation is in the log there.
            if found.entryNumber < 0 { return (found, found.entry) }
            guard let head = try Self.head(of: found.entry.place.lane, connection) else { return nil }
            return (found, head)
        }
    }

    package func endings(
        of user: UserID, tenant: TenantID, before number: Int64, unanswered: Bool, limit: Int
    ) async throws -> [StoredEnding] {
        try await database.read { connection in
            let decided = try connection.query(Self.approvalsOfUser(tenant, user, number, limit)) { row in
                StoredEnding.decided(try Self.stored(row, of: tenant))
            }
            guard unanswered else { return decided }
            let others = try connection.query(Self.unansweredOfUser(tenant, user, number, limit)) { row in
                StoredEnding.unanswered(try UnansweredRequest(row))
            }
            return Array((decided + others).sorted { $0.number > $1.number }.prefix(limit))
        }
    }

    /// In the order of its index, without which a planner may read the whole table to find none.
    private static let findOldApprovals = StaticStatement(
        "SELECT 1 FROM approval WHERE kept_until < $1 ORDER BY kept_until LIMIT 1")
    private static let deleteOldApprovals = StaticStatement { dialect in
        """
        DELETE FROM approval WHERE sequence IN (
            SELECT sequence FROM approval WHERE kept_until < $1 ORDER BY kept_until LIMIT $2 \(dialect.holding(.skipping)))
        """
    }

    /// Deletes decisions whose retention is over, at most as many as delay no other change for long.
    /// - Returns: number of deleted decisions.
    @discardableResult
    package func sweepApprovals(now: Timestamp) async throws -> Int {
        // A read spares the writer's thread, because there is hardly ever one to delete.
        guard try await database.read({ try $0.exists(Self.findOldApprovals(now)) }) else { return 0 }
        return try await database.write { try $0.execute(Self.deleteOldApprovals(now, Self.sweepBatch)) }
    }
}
