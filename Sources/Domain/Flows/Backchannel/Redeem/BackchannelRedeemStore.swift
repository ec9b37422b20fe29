package import Audit
package import AuthorizationCore
package import Primitives

/// What polling and redeeming need of a store.
package protocol BackchannelRedeemStore: Sendable {
    /// Reads the state of a request, for every poll. Nil means that the client has no such request, or, if `logIn`
    /// is not nil, the login transaction with that hash has none. A request of a login is none of its client.
    func poll(
        _ hash: AuthReqIDHash, client: ClientID, logIn: [UInt8]?, tenant: TenantID
    ) async throws -> PolledRequest?

    /// The whole request with its user; nil where it is gone. The user is nil where it was deleted.
    func approved(_ hash: AuthReqIDHash, tenant: TenantID) async throws -> ApprovedRequest?

    /// Turns approved into redeemed, keeps the refresh token and the audit event, in one transaction. False if the
    /// request was not approved, not the client's or the login's, not to that user, or expired at `now`, if the device
    /// that approved it was removed, or if its client had left: then nothing was stored.
    func redeem(_ redemption: Redemption) async throws -> Bool
}

package struct PolledRequest: Sendable, Equatable {
    package let state: BackchannelRequest.State
    package let expiresAt: Timestamp
    /// Seconds.
    package let interval: Int
    /// The person's own words for a rejection.
    package let reason: String?

    package init(state: BackchannelRequest.State, expiresAt: Timestamp, interval: Int, reason: String? = nil) {
        self.state = state
        self.expiresAt = expiresAt
        self.interval = interval
        self.reason = reason
    }
}

package struct ApprovedRequest: Sendable {
    package let request: BackchannelRequest
    package let user: User?

    package init(request: BackchannelRequest, user: User?) {
        self.request = request
        self.user = user
    }
}

package struct Redemption: Sendable {
    package let hash: AuthReqIDHash
    package let client: ClientID
    /// The user that the decision is used for.
    package let user: UserID
    /// SHA-256 of the login transaction that asked. Nil for a request of the client.
    package let logIn: [UInt8]?
    package let tenant: TenantID
    package let now: Timestamp
    package let refreshToken: RefreshTokenFamily?
    package let event: AuditEvent
    /// Asked within the transaction, so that as little time as can be lies between the answer and the commit.
    package let clientHasLeft: @Sendable () -> Bool

    package init(
        hash: AuthReqIDHash, client: ClientID, user: UserID, logIn: [UInt8]? = nil, tenant: TenantID, now: Timestamp,
        refreshToken: RefreshTokenFamily?, event: AuditEvent, clientHasLeft: @escaping @Sendable () -> Bool = { false }
    ) {
        self.hash = hash
        self.client = client
        self.user = user
        self.logIn = logIn
        self.tenant = tenant
        self.now = now
        self.refreshToken = refreshToken
        self.event = event
        self.clientHasLeft = clientHasLeft
    }
}
