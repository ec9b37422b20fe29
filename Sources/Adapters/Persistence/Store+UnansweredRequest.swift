import Audit
import Flows
import Primitives
import SQL

extension Store {
    /// A user who was deleted meanwhile has no history.
    private static let insertUnanswered = StaticStatement(
        """
        INSERT INTO unanswered_request (id, tenant, client, "user", ending, ended_at, kept_until, audit_entry, audit_hash,
            record_context, sealed_record)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
        WHERE EXISTS (SELECT 1 FROM "user" WHERE tenant = $2 AND id = $4)
        """)

    /// Most of one person: a client that starts and withdraws again and again fills no history.
    private static let limit = 500
    private static let deleteOldest = StaticStatement(
        """
        DELETE FROM unanswered_request WHERE tenant = $1 AND "user" = $2 AND audit_entry <= (
            SELECT audit_entry FROM unanswered_request WHERE tenant = $1 AND "user" = $2
            ORDER BY audit_entry DESC LIMIT 1 OFFSET $3)
        """)

    /// Keeps a request that ended without an answer for its person's history. A login's request is not kept, as its
    /// decision is not.
    static func keep(
        _ request: SealedRequest, _ ending: UnansweredRequest.Ending, at end: Timestamp, until keptUntil: Timestamp,
        _ entry: LoggedPlace, _ connection: any Connection
    ) throws {
        guard request.login == nil else { return }
        try connection.execute(
            insertUnanswered(
                request.consentID, request.tenant, request.client, request.user, ending.rawValue, end, keptUntil,
                entry.number, entry.head.hash.bytes, request.recordContext, request.record))
        try connection.execute(deleteOldest(request.tenant, request.user, limit))
    }

    /// The entry of the audit log is gone once it is archived. Its kind says how the request ended.
    static let unansweredColumns: StaticString = """
        SELECT unanswered_request.id, unanswered_request.tenant, unanswered_request.client, unanswered_request."user",
            ending, ended_at, sealed_record, record_context, audit_entry,
            audit_log.id IS NULL OR (audit_log.hash = audit_hash AND audit_log.consent = unanswered_request.id
                AND audit_log.kind = CASE ending WHEN 'expired' THEN 'ciba_expired' ELSE 'ciba_cancelled' END)
        FROM unanswered_request LEFT JOIN audit_log ON audit_log.id = audit_entry
        """
    static let unansweredOfUser = StaticStatement(
        unansweredColumns,
        """
        WHERE unanswered_request.tenant = $1 AND unanswered_request."user" = $2 AND audit_entry < $3
        ORDER BY audit_entry DESC LIMIT $4
        """)
}

extension UnansweredRequest {
    init(_ row: borrowing Row) throws {
        guard let ending = Ending(rawValue: try row.text(4)) else { throw CorruptRow(what: "unanswered_request") }
        self.init(
            consent: try row.id(0), tenant: try row.id(1), client: try row.id(2), user: try row.id(3), ending: ending,
            endedAt: try row.timestamp(5), record: try row.blob(6), recordContext: try row.text(7),
            entryNumber: try row.int64(8), hasItsEntry: try row.bool(9))
    }
}
