package import Audit
package import Flows
package import Primitives
import SQL

extension Store: EnrollmentCodeStore {
    package func keep(
        _ code: StoredEnrollmentCode, until end: Timestamp, of ticket: [UInt8], now: Timestamp, event: AuditEvent?
    ) async throws -> Timestamp? {
        try await database.write { connection in
            // Codes that ended leave their places.
            try connection.execute(
                """
                UPDATE enrollment_ticket SET code_place = NULL, code_hash = NULL, code_expires_at = NULL
                WHERE tenant = \(code.tenant) AND code_place = \(code.place) AND code_expires_at <= \(now)
                """)
            let kept = try connection.first(
                """
                UPDATE enrollment_ticket SET code_place = \(code.place), code_hash = \(code.hash),
                    code_expires_at = CASE WHEN expires_at < \(end) THEN expires_at ELSE \(end) END, code_tries = 0
                WHERE hash = \(ticket) AND tenant = \(code.tenant) AND \(Self.isUsable(now)) AND NOT EXISTS (
                    SELECT 1 FROM enrollment_ticket AS other
                    WHERE other.tenant = \(code.tenant) AND other.code_place = \(code.place)
                        AND other.hash <> \(ticket))
                RETURNING code_expires_at
                """
            ) { try $0.timestamp(0) }
            if kept != nil, let event { try append(event, connection) }
            return kept
        }
    }

    package func ticket(
        of code: StoredEnrollmentCode, tries: Int, now: Timestamp
    ) async throws -> EnrollmentTicket? {
        try await database.write { connection in
            let found = try connection.first(
                """
                UPDATE enrollment_ticket SET code_tries = code_tries + 1
                WHERE tenant = \(code.tenant) AND code_place = \(code.place) AND code_expires_at > \(now)
                    AND code_tries < \(tries) AND \(Self.isUsable(now))
                RETURNING \(raw: EnrollmentTicket.columns.description), code_hash
                """
            ) { (ticket: try EnrollmentTicket($0), hash: try $0.blob(EnrollmentTicket.columnCount)) }
            guard let found, constantTimeEquals(found.hash, code.hash) else { return nil }
            return found.ticket
        }
    }
}

extension EnrollmentTicket {
    static let columns: StaticString =
        #"hash, tenant, "user", created_at, expires_at, access_endings, first_only, asked_by"#
    static let columnCount = 8

    init(_ row: borrowing Row) throws {
        self.init(
            hash: try row.blob(0), tenant: try row.id(1), user: try row.id(2), createdAt: try row.timestamp(3),
            expiresAt: try row.timestamp(4), accessEndings: try row.isNull(5) ? nil : row.int(5),
            isForFirstDevice: try row.bool(6), requestedBy: try row.optionalID(7))
    }
}
