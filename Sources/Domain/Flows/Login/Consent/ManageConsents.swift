package import Audit
package import AuthorizationCore
package import Primitives

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

/// Lists and revokes users' consents to clients.
package struct ManageConsents: Sendable {
    private let store: any ConsentGrantStore

    package init(store: any ConsentGrantStore) { self.store = store }

    /// Oldest first.
    package func list(of user: UserID, tenant: Tenant) async throws -> [ConsentGrant] {
        try await store.consents(of: user, tenant: tenant.id)
    }

    /// Revokes a client's consent for one API, or for all if `audience` is nil, and ends its refresh tokens there. False
    /// if there was no consent. `actor` is nil if the user revokes it.
    package func revoke(
        of user: UserID, to client: ClientID, audience: String?, tenant: Tenant, by actor: AuditEvent.Actor?,
        remoteAddress: String?, now: Timestamp
    ) async throws -> Bool {
        var event = AuditEvent(
            .consentRevoked, tenant: tenant.id, at: now, user: user, client: client, remoteAddress: remoteAddress,
            details: audience.map { ["audience": .string($0)] } ?? [:])
        event.actor = actor
        return try await store.revokeConsent(
            of: user, to: client, audience: audience, tenant: tenant.id, event: event) > 0
    }
}
