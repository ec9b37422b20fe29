package import Audit
package import AuthorizationCore
package import Primitives

/// Store port for redeeming codes.
package protocol AuthorizationCodeStore: Sendable {
    /// The code, redeemed or not, with its user. Nil means that there is no such code; a nil user means that the user
    /// was deleted. A redeemed code is kept until its access tokens have expired.
    func code(_ hash: [UInt8], tenant: TenantID) async throws -> (code: AuthorizationCode, user: User?)?

    /// Marks the code redeemed, and stores the refresh token and the event, in one transaction. False, with nothing
    /// stored, if the code was redeemed before, is another client's or has expired.
    func redeem(_ redemption: CodeRedemption) async throws -> Bool
}

package struct CodeRedemption: Sendable {
    package let hash: [UInt8]
    package let client: ClientID
    package let tenant: TenantID
    package let now: Timestamp
    /// Lifetime of the access token, in seconds.
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
