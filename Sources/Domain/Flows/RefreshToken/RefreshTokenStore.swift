package import Audit
package import AuthorizationCore
package import Primitives

/// What exchanging and revoking refresh tokens needs of a store.
package protocol RefreshTokenStore: Sendable {
    /// The family with its user; nil where there is none. The user is nil where it was deleted.
    func refreshTokens(_ family: [UInt8], tenant: TenantID) async throws -> (family: RefreshTokenFamily, user: User?)?

    /// The client and the user, nil where deleted, of a family that ended with all access of its user. Nil for any other
    /// family.
    func endedRefreshTokens(_ family: [UInt8], tenant: TenantID) async throws -> (client: ClientID, user: User?)?

    /// Counts the family's valid token up from `counter` and moves its idle end. False where the counter was another,
    /// or the family is gone or over: then nothing was stored.
    func rotate(
        _ family: [UInt8], from counter: Int, tenant: TenantID, now: Timestamp, idleExpiresAt: Timestamp?,
        event: AuditEvent
    ) async throws -> Bool

    /// Moves the idle end of a family whose valid token stays the one of `counter`, and notes the use. False under the
    /// same conditions as `rotate`.
    func renew(
        _ family: [UInt8], counter: Int, tenant: TenantID, now: Timestamp, idleExpiresAt: Timestamp?, event: AuditEvent
    ) async throws -> Bool

    /// Ends everything that came of one authorization: its refresh tokens now, its access tokens by a note that
    /// stays until `tokensExpireAt`.
    func revoke(_ authorization: AuthorizationID, tenant: TenantID, tokensExpireAt: Timestamp, event: AuditEvent)
        async throws

    /// Whether an access token's authorization was revoked.
    func isRevoked(_ authorization: AuthorizationID, tenant: TenantID) async throws -> Bool
}
