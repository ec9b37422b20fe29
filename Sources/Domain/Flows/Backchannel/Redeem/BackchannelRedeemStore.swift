package import Audit
package import AuthorizationCore
package import Primitives

package protocol BackchannelRedeemStore: Sendable {
    /// Reads the state of a request, for every poll. Nil means that the client, or the login transaction with the hash
    /// `login`, has no such request. A request of a login does not belong to its client.
    func poll(_ hash: AuthReqIDHash, client: ClientID, login: [UInt8]?, tenant: TenantID) async throws -> PolledRequest?

    /// The whole request with its user. Nil means that the request was deleted; a nil user means that the user was
    /// deleted.
    func request(_ hash: AuthReqIDHash, tenant: TenantID) async throws -> (request: SealedRequest, user: User?)?

    /// Turns approved into redeemed, and stores the refresh token and the audit event, in one transaction. False means
    /// that nothing was stored: the request was not approved, belongs to another client, login or user, had expired at
    /// `now`, its approving device was removed, or its client had left.
    func redeem(_ redemption: Redemption) async throws -> Bool
}

package struct PolledRequest: Sendable, Equatable {
    package let state: BackchannelRequest.State
    package let expiresAt: Timestamp
    /// Seconds.
    package let interval: Int

    package init(state: BackchannelRequest.State, expiresAt: Timestamp, interval: Int) {
        self.state = state
        self.expiresAt = expiresAt
        self.interval = interval
    }
}

package struct Redemption: Sendable {
    package let hash: AuthReqIDHash
    package let client: ClientID
    /// User who must have decided.
    package let user: UserID
    /// SHA-256 of the login transaction that started the request. Nil for a request of the client.
    package var login: [UInt8]?
    package let tenant: TenantID
    package let now: Timestamp
    package let refreshToken: RefreshTokenFamily?
    package let event: AuditEvent
    /// Called within the transaction, to leave the least time before the commit.
    package var clientHasLeft: @Sendable () -> Bool = { false }
}
