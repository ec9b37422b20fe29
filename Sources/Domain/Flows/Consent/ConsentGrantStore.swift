package import Audit
package import AuthorizationCore

/// What remembering consents needs of a store (for the authorization code flow; CIBA asks each time).
package protocol ConsentGrantStore: Sendable {
    func consent(of user: UserID, to client: ClientID, audience: String, tenant: TenantID) async throws
        -> ConsentGrant?

    /// All of a user, oldest first.
    func consents(of user: UserID, tenant: TenantID) async throws -> [ConsentGrant]

    /// Forgets what a user allowed a client, for one API or for all, and ends the client's refresh tokens of that
    /// user and API and its codes that were not redeemed. Returns how many consents there were. The event is kept
    /// where anything ended.
    func revokeConsent(
        of user: UserID, to client: ClientID, audience: String?, tenant: TenantID, event: AuditEvent
    ) async throws -> Int
}
