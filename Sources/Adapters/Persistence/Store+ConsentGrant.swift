package import AuthorizationCore
import Flows
import OAuthWire
import SQL

extension Store: ConsentReader {
    private static let findConsent = StaticStatement(
        "SELECT", RowSeal.consent.list,
        #", seal FROM consent_grant WHERE tenant = $1 AND "user" = $2 AND client = $3 AND audience = $4"#)

    package func consent(
        of user: UserID, to client: ClientID, audience: String, tenant: TenantID
    ) async throws -> ConsentGrant? {
        try await database.first(Self.findConsent(tenant, user, client, audience)) { try intact($0) } ?? nil
    }

    /// Nil for a changed row: the person is asked again.
    private func intact(_ row: borrowing Row) throws -> ConsentGrant? {
        let bound = try BoundRow(row, .consent)
        guard try isIntact(bound, .consent) else {
            _ = changed(bound, .consent)
            return nil
        }
        return try ConsentGrant(row)
    }

    private static let findConsentToChange = StaticStatement { dialect in
        "\(findConsent.text(in: dialect)) \(dialect.holding(.changing))"
    }
    private static let insertConsent = StaticStatement(
        "INSERT INTO consent_grant (", RowSeal.consent.list,
        """
        , seal) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (tenant, "user", client, audience) DO UPDATE SET scope = excluded.scope,
            created_at = excluded.created_at, updated_at = excluded.updated_at, seal = excluded.seal
        """)

    /// Adds to a user's earlier consent, within a transaction.
    func add(_ grant: ConsentGrant, _ connection: any Connection) throws {
        try connection.lock(grant.user, in: grant.tenant)
        // Held, so that a withdrawal at once leaves nothing of what it withdraws.
        let consent = Self.findConsentToChange(grant.tenant, grant.user, grant.client, grant.audience)
        let before = try connection.first(consent) { try intact($0) } ?? nil
        let scope = ScopeSet((before?.scope.tokens ?? []) + grant.scope.tokens)
        try connection.execute(
            sealed(
                Self.insertConsent(
                    grant.tenant, grant.user, grant.client, grant.audience, scope.description,
                    before?.createdAt ?? grant.createdAt, grant.updatedAt), .consent))
    }
}
