package import Audit
package import AuthorizationCore

/// Store port for managing the consents of users (for the authorization code flow; CIBA asks each time).
package protocol ConsentGrantStore: Sendable {
    /// All of a user, oldest first.
    func consents(of user: UserID, tenant: TenantID) async throws -> [ConsentGrant]

    /// Deletes a user's consent to a client, for one API or for all, and ends the client's refresh tokens of that user
    /// and API and its codes that were not redeemed. Returns the number of deleted consents. Keeps the event if anything
    /// ended.
    func revokeConsent(
        of user: UserID, to client: ClientID, audience: String?, tenant: TenantID, event: AuditEvent
    ) async throws -> Int
}
