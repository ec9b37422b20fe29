package import Audit
package import AuthorizationCore
package import Primitives

package protocol RefreshTokenStore: ChangedRowStore {
    /// The family with its user. Nil means that there is no such family. The user is nil if it was deleted. Throws
    /// `ChangedRow`.
    func refreshTokens(_ family: [UInt8], tenant: TenantID) async throws -> (family: RefreshTokenFamily, user: User?)?

    /// Client and user of a family that ended with all access of its user. Nil for any other family. The user is nil if
    /// it was deleted.
    func endedRefreshTokens(_ family: [UInt8], tenant: TenantID) async throws -> (client: ClientID, user: User?)?

    /// Increments the counter of the family's valid token and moves its idle end. False if the counter is another, or
    /// the family is deleted or expired. Then nothing is stored.
    func rotate(
        _ family: [UInt8], from counter: Int, tenant: TenantID, now: Timestamp, idleExpiresAt: Timestamp?,
        event: AuditEvent
    ) async throws -> Bool

    /// Moves the idle end of a family whose valid token keeps its `counter`, and records the use. False under the same
    /// conditions as `rotate`.
    func renew(
        _ family: [UInt8], counter: Int, tenant: TenantID, now: Timestamp, idleExpiresAt: Timestamp?, event: AuditEvent
    ) async throws -> Bool

    /// Revokes all tokens of one authorization: deletes its refresh tokens, and stores until `tokensExpireAt` that its
    /// access tokens are revoked.
    func revoke(_ authorization: AuthorizationID, tenant: TenantID, tokensExpireAt: Timestamp, event: AuditEvent)
        async throws

    /// True if an access token's authorization is revoked.
    func isRevoked(_ authorization: AuthorizationID, tenant: TenantID) async throws -> Bool
}
