package import AuthorizationCore
import Flows
import OAuthWire
import SQL

extension Store: ConsentReader {
    private static let findConsent = StaticStatement(
        "SELECT", ConsentGrant.columns,
        #"FROM consent_grant WHERE tenant = $1 AND "user" = $2 AND client = $3 AND audience = $4"#)

    package func consent(
        of user: UserID, to client: ClientID, audience: String, tenant: TenantID
    ) async throws -> ConsentGrant? {
        try await database.first(Self.findConsent(tenant, user, client, audience)) { try ConsentGrant($0) }
    }

    /// Adds to a user's earlier consent, within a transaction.
    static func add(_ grant: ConsentGrant, _ connection: any Connection) throws {
        let consent = findConsent(grant.tenant, grant.user, grant.client, grant.audience)
        let before = try connection.first(consent) { try ConsentGrant($0) }
        let scope = ScopeSet((before?.scope.tokens ?? []) + grant.scope.tokens)
        try connection.execute(
            """
            INSERT INTO consent_grant (tenant, "user", client, audience, scope, created_at, updated_at)
            VALUES (\(grant.tenant), \(grant.user), \(grant.client), \(grant.audience), \(scope.description),
                \(grant.createdAt), \(grant.updatedAt))
            ON CONFLICT (tenant, "user", client, audience) DO UPDATE SET scope = excluded.scope,
                updated_at = excluded.updated_at
            """)
    }
}
