package import Audit
package import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store: EmailTicketStore {
    package func emailTicket(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> EmailTicket? {
        try await database.read { try Self.emailTicket(hash, tenant: tenant, now: now, $0) }
    }

    private static func emailTicket(
        _ hash: [UInt8], tenant: TenantID, now: Timestamp, _ connection: any Connection
    ) throws -> EmailTicket? {
        let ticket = try connection.first(
            """
            SELECT "user", email, result_url FROM email_ticket
            WHERE hash = \(hash) AND tenant = \(tenant) AND expires_at > \(now)
            """
        ) { row in
            try EmailAddress(parsing: try row.text(1)).map {
                EmailTicket(user: try row.id(0), email: $0, resultURL: try row.optionalText(2))
            }
        }
        guard let ticket = ticket ?? nil, try user(ticket.user, tenant: tenant, connection)?.email == ticket.email
        else { return nil }
        return ticket
    }

    /// Stores a ticket in place of the user's earlier one.
    static func put(
        _ ticket: EmailTicket, hash: [UInt8], createdAt: Timestamp, expiresAt: Timestamp, tenant: TenantID,
        _ connection: any Connection
    ) throws {
        try connection.execute(
            """
            INSERT INTO email_ticket (hash, tenant, "user", email, result_url, created_at, expires_at)
            VALUES (\(hash), \(tenant), \(ticket.user), \(ticket.email.description), \(ticket.resultURL), \(createdAt),
                \(expiresAt))
            ON CONFLICT (tenant, "user") DO UPDATE SET hash = excluded.hash, email = excluded.email,
                result_url = excluded.result_url, created_at = excluded.created_at,
                expires_at = excluded.expires_at
            """)
    }

    package func verifyEmail(
        ticket hash: [UInt8], tenant: TenantID, now: Timestamp, event: AuditEvent
    ) async throws -> Bool {
        try await allOrNothing { connection in
            guard let ticket = try Self.emailTicket(hash, tenant: tenant, now: now, connection) else { return false }
            let used = try connection.execute("DELETE FROM email_ticket WHERE hash = \(hash) AND tenant = \(tenant)")
            guard used == 1 else { return false }
            // The address may have changed since the ticket was compared with it.
            let verified = try connection.execute(
                """
                UPDATE "user" SET email_verified = 1, email_verified_at = \(now), email_bounced_at = NULL, email_bounce = NULL,
                    updated_at = \(now)
                WHERE tenant = \(tenant) AND id = \(ticket.user) AND email = \(ticket.email.description)
                """)
            guard verified == 1 else { throw TakenBack() }
            try Self.describe(ticket.user, tenant: tenant, connection)
            try append(event, connection)
            return true
        }
    }
}
