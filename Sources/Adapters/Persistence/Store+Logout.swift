package import Audit
import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store: LogoutStore {
    /// Keeps within a transaction, which ends the sessions next, that their clients are to be told.
    static func enqueueLogouts(
        ofSessions condition: SQLFragment, now: Timestamp, _ connection: any Connection
    ) throws {
        try connection.execute(
            """
            INSERT INTO logout_notice (tenant, client, "user", session, host, ended_at, attempts, due_at)
            SELECT session.tenant, session_client.client, session."user", session.id, session_client.host, \(now), 0,
                \(now)
            FROM session JOIN session_client ON session_client.session = session.id WHERE \(condition)
            """)
    }

    package func dueLogouts(now: Timestamp, perClient: Int, limit: Int) async throws -> [DueLogout] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT sequence, tenant, client, "user", session, host, ended_at, attempts, reason FROM (
                    SELECT *, row_number() OVER (PARTITION BY tenant, client ORDER BY due_at, sequence) AS place
                    FROM logout_notice WHERE due_at <= \(now)) AS due
                WHERE place <= \(perClient) ORDER BY due_at, sequence LIMIT \(limit)
                """
            ) { row in
                DueLogout(
                    id: try row.int64(0), tenant: try row.id(1), client: try row.id(2), user: try row.id(3),
                    session: try row.id(4), host: try row.optionalText(5), endedAt: try row.timestamp(6),
                    attempts: try row.int(7), reason: try row.optionalText(8))
            }
        }
    }

    package func removeLogout(_ id: Int64, event: AuditEvent?) async throws {
        try await database.write { connection in
            guard try connection.execute("DELETE FROM logout_notice WHERE sequence = \(id)") == 1, let event else {
                return
            }
            try append(event, connection)
        }
    }

    package func postponeLogout(_ id: Int64, attempts: Int, dueAt: Timestamp, reason: String) async throws {
        try await database.write { connection in
            _ = try connection.execute(
                """
                UPDATE logout_notice SET attempts = \(attempts), due_at = \(dueAt), reason = \(reason)
                WHERE sequence = \(id)
                """)
        }
    }
}
