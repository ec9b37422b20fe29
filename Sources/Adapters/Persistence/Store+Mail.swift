package import Audit
package import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store: MailSource {
    private static let requestAndUser = StaticStatement(
        "SELECT", SealedRequest.columns, ",", User.columns,
        """
        FROM backchannel_request LEFT JOIN "user" ON "user".tenant = backchannel_request.tenant AND "user".id = $2
        WHERE backchannel_request.sequence = $1
        """)

    package func approvalMail(
        of request: Int64, to user: UserID
    ) async throws -> (request: SealedRequest, user: User?)? {
        try await database.first(Self.requestAndUser(request, user)) { row in
            (
                try SealedRequest(row),
                try row.isNull(SealedRequest.columnCount) ? nil : User(row, at: SealedRequest.columnCount)
            )
        }
    }

    package func metadata(of user: UserID, in tenant: TenantID) async throws -> UserMetadata {
        try await database.read { try Self.metadata(of: user, tenant: tenant, $0) }
    }

    package func retire(
        address: EmailAddress, of tenant: TenantID, bounce: EmailBounce, mailedAt: Timestamp,
        event: @escaping @Sendable (UserID) -> AuditEvent
    ) async throws -> [UserID] {
        try await database.write { connection in
            let theirs: SQLFragment = """
                tenant = \(tenant) AND email = \(address.description) AND email_bounced_at IS NULL
                    AND coalesce(email_verified_at, 0) <= \(mailedAt) AND id IN (
                    SELECT "user" FROM user_profile WHERE tenant = \(tenant) AND email = \(address.description))
                """
            try connection.hold(#""user""#, by: "id", where: theirs)
            let users: [UserID] = try connection.query(
                """
                UPDATE "user" SET email_bounced_at = \(bounce.at), email_bounce = \(bounce.status)
                WHERE \(theirs) RETURNING id
                """
            ) { try $0.id(0) }
            for user in users { try append(UnchainedAuditEntry(event(user)), connection) }
            return users
        }
    }

    /// The worker settles the entry, because it knows the polls that wait for the request.
    package func reopen(_ entry: Int64, of tenant: TenantID, problem: String, now: Timestamp) async throws -> Bool {
        try await database.execute(
            """
            UPDATE delivery SET state = 0, payload = \(Delivery.returned), due_at = \(now), problem = \(problem)
            WHERE id = \(entry) AND tenant = \(tenant) AND queue = \(DeliveryQueue.mail.rawValue)
                AND request IS NOT NULL AND \(raw: DeliverySQL.isSent.description)
            """) == 1
    }
}
