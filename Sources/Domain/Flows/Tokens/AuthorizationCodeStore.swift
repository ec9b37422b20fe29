package import Audit
package import AuthorizationCore
package import Primitives

/// What redeeming codes needs of a store.
package protocol AuthorizationCodeStore: Sendable {
    /// The code, redeemed or not, with its user; nil where there is none. The user is nil where it was deleted.
    /// A redeemed code is kept until no access token that it gave lives.
    func code(_ hash: [UInt8], tenant: TenantID) async throws -> (code: AuthorizationCode, user: User?)?

    /// Marks the code redeemed and keeps the refresh token and the event, in one transaction. False where it was
    /// redeemed before, is not the client's or has expired: then nothing was stored.
    func redeem(_ redemption: CodeRedemption) async throws -> Bool
}

package struct CodeRedemption: Sendable {
    package let hash: [UInt8]
    package let client: ClientID
    package let tenant: TenantID
    package let now: Timestamp
    /// Seconds that the access token lives.
    package let tokenLifetime: Int
    package let refreshToken: RefreshTokenFamily?
    package let event: AuditEvent

    package init(
        hash: [UInt8], client: ClientID, tenant: TenantID, now: Timestamp, tokenLifetime: Int,
        refreshToken: RefreshTokenFamily?, event: AuditEvent
    ) {
        self.hash = hash
        self.client = client
        self.tenant = tenant
        self.now = now
        self.tokenLifetime = tokenLifetime
        self.refreshToken = refreshToken
        self.event = event
    }
}
