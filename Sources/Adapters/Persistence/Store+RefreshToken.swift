package import Audit
package import AuthorizationCore
import Flows
import OAuthWire
package import Primitives
import SQL

extension Store: RefreshTokenStore {
    private static let insertFamily = StaticStatement(
        """
        INSERT INTO refresh_token_family (hash, authorization_id, tenant, client, "user", scope, audience,
            authorization_details, auth_time, methods, context_class, session, approval, created_at, expires_at,
            certificate_hash, counter, rotated_at, idle_expires_at, seal)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
        """)
    /// Expired families do not count; the sweep removes them.
    private static let dropOldestFamilies = StaticStatement(
        """
        DELETE FROM refresh_token_family WHERE tenant = $1 AND "user" = $2 AND client = $3 AND sequence <= (
            SELECT sequence FROM refresh_token_family
            WHERE tenant = $1 AND "user" = $2 AND client = $3 AND expires_at > $4
                AND (idle_expires_at IS NULL OR idle_expires_at > $4)
            ORDER BY sequence DESC LIMIT 1 OFFSET $5)
        """)

    /// Stores a new family, and keeps the user's last `RefreshTokenFamily.limit` at that client.
    func insert(_ family: RefreshTokenFamily, _ connection: any Connection) throws {
        let access = family.access
        try connection.execute(
            sealed(
                Self.insertFamily(
                    family.hash, access.id, access.tenant, access.client, access.user, access.scope.description,
                    access.audience, access.authorizationDetails.map(JSONWriter.string), access.authTime,
                    access.methods.joined(separator: " "), access.contextClass, access.session,
                    access.approval?.description, family.createdAt, family.expiresAt,
                    family.constraint?.certificateHash,
                    family.counter, family.rotatedAt, family.idleExpiresAt), .refreshTokens))
        try connection.execute(
            Self.dropOldestFamilies(
                access.tenant, access.user, access.client, family.createdAt, RefreshTokenFamily.limit))
    }

    private static let findFamily = StaticStatement(
        parts: ["SELECT"] + RefreshTokenFamily.columns + ["FROM refresh_token_family WHERE hash = $1 AND tenant = $2"])

    package func refreshTokens(
        _ family: [UInt8], tenant: TenantID
    ) async throws -> (family: RefreshTokenFamily, user: User?)? {
        try await database.read { connection in
            let found = try connection.first(Self.findFamily(family, tenant)) { row in
                try requireIntact(row, .refreshTokens)
                return try RefreshTokenFamily(row)
            }
            guard let found else { return nil }
            return (found, try Self.user(found.access.user, tenant: tenant, connection))
        }
    }

    private static let findEndedFamily = StaticStatement(
        "SELECT e.client,", User.columns,
        """
        FROM ended_refresh_token e LEFT JOIN "user" ON "user".tenant = e.tenant AND "user".id = e."user"
        WHERE e.hash = $1 AND e.tenant = $2
        """)

    package func endedRefreshTokens(
        _ family: [UInt8], tenant: TenantID
    ) async throws -> (client: ClientID, user: User?)? {
        try await database.first(Self.findEndedFamily(family, tenant)) { row in
            (try row.id(0), try row.isNull(1) ? nil : User(row, at: 1))
        }
    }

    private static let rotateFamily = StaticStatement(
        """
        UPDATE refresh_token_family SET counter = counter + 1, rotated_at = $4, idle_expires_at = $5
        WHERE hash = $1 AND tenant = $2 AND counter = $3 AND expires_at > $4
            AND (idle_expires_at IS NULL OR idle_expires_at > $4)
        """)

    package func rotate(
        _ family: [UInt8], from counter: Int, tenant: TenantID, now: Timestamp, idleExpiresAt: Timestamp?,
        event: AuditEvent
    ) async throws -> Bool {
        try await execute(Self.rotateFamily(family, tenant, counter, now, idleExpiresAt), recording: event)
    }

    private static let renewFamily = StaticStatement(
        """
        UPDATE refresh_token_family SET idle_expires_at = $5
        WHERE hash = $1 AND tenant = $2 AND counter = $3 AND expires_at > $4
            AND (idle_expires_at IS NULL OR idle_expires_at > $4)
        """)

    package func renew(
        _ family: [UInt8], counter: Int, tenant: TenantID, now: Timestamp, idleExpiresAt: Timestamp?, event: AuditEvent
    ) async throws -> Bool {
        try await execute(Self.renewFamily(family, tenant, counter, now, idleExpiresAt), recording: event)
    }

    package func revoke(
        _ authorization: AuthorizationID, tenant: TenantID, tokensExpireAt: Timestamp, event: AuditEvent
    ) async throws {
        try await database.write { connection in
            let isFirst =
                try connection.execute(
                    """
                    INSERT INTO revoked_authorization (id, tenant, expires_at)
                    VALUES (\(authorization), \(tenant), \(tokensExpireAt)) ON CONFLICT (id) DO NOTHING
                    """) == 1
            try connection.execute(
                "DELETE FROM refresh_token_family WHERE authorization_id = \(authorization) AND tenant = \(tenant)")
            try Self.revokeAccessTokens(of: authorization, tenant: tenant, until: tokensExpireAt, connection)
            // One of several revocations at once is recorded.
            if isFirst { try append(event, connection) }
        }
    }

    static func revokeAccessTokens(
        of authorization: AuthorizationID, tenant: TenantID, until end: Timestamp, _ connection: any Connection
    ) throws {
        try connection.execute(
            """
            INSERT INTO revoked_authorization (id, tenant, expires_at) VALUES (\(authorization), \(tenant), \(end))
            ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at
                WHERE excluded.expires_at > revoked_authorization.expires_at
            """)
    }

    /// Ends, within a transaction, all tokens of the authorizations that match `condition`. Deletes refresh
    /// tokens and unredeemed codes. Revokes access tokens for their longest lifetime. An access
    /// token without a remembered code has expired. CIBA access tokens without a refresh token are not found.
    static func endAuthorizations(
        where condition: SQLFragment, now: Timestamp, _ connection: any Connection
    ) throws {
        // A redemption that was under way has ended, so that its tokens are seen.
        try connection.hold("authorization_code", by: "sequence", where: condition)
        try connection.hold("refresh_token_family", by: "sequence", where: condition)
        let end = now + .seconds(ResourceServer.maximumTokenLifetime)
        try connection.execute(
            """
            INSERT INTO revoked_authorization (id, tenant, expires_at)
            SELECT authorization_id, tenant, \(end) FROM refresh_token_family WHERE \(condition)
            UNION SELECT authorization_id, tenant, \(end) FROM authorization_code WHERE \(condition) AND redeemed = 1
            ORDER BY 1
            ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at
                WHERE excluded.expires_at > revoked_authorization.expires_at
            """)
        try connection.execute("DELETE FROM authorization_code WHERE \(condition) AND redeemed = 0")
        try connection.execute("DELETE FROM refresh_token_family WHERE \(condition)")
    }

    private static let findRevoked = StaticStatement(
        "SELECT 1 FROM revoked_authorization WHERE id = $1 AND tenant = $2")

    package func isRevoked(_ authorization: AuthorizationID, tenant: TenantID) async throws -> Bool {
        try await database.read { try $0.exists(Self.findRevoked(authorization, tenant)) }
    }
}

/// `record` is in Store+Audit.
extension Store: ClientTokenStore {}

extension Store: AccessTokenStore {
    package func status(
        of authorization: AuthorizationID, user: UserID?, tenant: TenantID
    ) async throws -> (isRevoked: Bool, user: User?) {
        try await database.read { connection in
            let isRevoked = try connection.exists(Self.findRevoked(authorization, tenant))
            return (isRevoked, try user.flatMap { try Self.user($0, tenant: tenant, connection) })
        }
    }
}
