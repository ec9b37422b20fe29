package import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store: MailStore {
    static func insert(_ mail: SealedMail, _ connection: any Connection) throws {
        try connection.execute(
            """
            INSERT INTO mail (tenant, sealed, attempts, due_at, created_at, expires_at)
            VALUES (\(mail.tenant), \(mail.sealed), 0, \(mail.createdAt), \(mail.createdAt), \(mail.expiresAt))
            """)
    }

    package func enqueue(_ mail: SealedMail) async throws {
        try await database.write { try Self.insert(mail, $0) }
    }

    package func dueMail(now: Timestamp, limit: Int) async throws -> [DueMail] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT sequence, tenant, sealed, created_at, expires_at, attempts FROM mail
                WHERE due_at <= \(now) AND expires_at > \(now) ORDER BY sequence LIMIT \(limit)
                """
            ) { row in
                DueMail(
                    id: try row.int64(0),
                    mail: SealedMail(
                        tenant: try row.id(1), sealed: try row.blob(2), createdAt: try row.timestamp(3),
                        expiresAt: try row.timestamp(4)),
                    attempts: try row.int(5))
            }
        }
    }

    package func removeMail(_ id: Int64) async throws {
        try await database.write { connection in
            _ = try connection.execute("DELETE FROM mail WHERE sequence = \(id)")
        }
    }

    package func postponeMail(_ id: Int64, attempts: Int, dueAt: Timestamp) async throws {
        try await database.write { connection in
            _ = try connection.execute(
                "UPDATE mail SET attempts = \(attempts), due_at = \(dueAt) WHERE sequence = \(id)")
        }
    }
}
