public import AuthorizationCore
public import Primitives

/// What polling and redeeming need of a store.
public protocol BackchannelRedeemStore: Sendable {
    /// Where a request stands: the narrow read of every poll. Nil where the client has no such request.
    func poll(_ hash: AuthReqIDHash, client: ClientID, tenant: TenantID) async throws -> PolledRequest?

    /// The whole request with its user; nil where it is gone. The user is nil where it was deleted.
    func approved(_ hash: AuthReqIDHash, tenant: TenantID) async throws -> ApprovedRequest?

    /// Turns approved into redeemed, keeps the refresh token and the audit event, in one transaction. False where
    /// the request was not approved, not the client's or expired at `now`: then nothing was stored.
    func redeem(_ redemption: Redemption) async throws -> Bool
}

public struct PolledRequest: Sendable, Equatable {
    public let state: BackchannelRequest.State
    public let expiresAt: Timestamp
    /// Seconds.
    public let interval: Int
    /// The person's own words for a rejection.
    public let reason: String?

    public init(state: BackchannelRequest.State, expiresAt: Timestamp, interval: Int, reason: String? = nil) {
        self.state = state
        self.expiresAt = expiresAt
        self.interval = interval
        self.reason = reason
    }
}

public struct ApprovedRequest: Sendable {
    public let request: BackchannelRequest
    public let user: User?

    public init(request: BackchannelRequest, user: User?) {
        self.request = request
        self.user = user
    }
}

public struct Redemption: Sendable {
    public let hash: AuthReqIDHash
    public let client: ClientID
    public let tenant: TenantID
    public let now: Timestamp
    public let refreshToken: RefreshTokenFamily?
    public let event: AuditEvent

    public init(
        hash: AuthReqIDHash, client: ClientID, tenant: TenantID, now: Timestamp, refreshToken: RefreshTokenFamily?,
        event: AuditEvent
    ) {
        self.hash = hash
        self.client = client
        self.tenant = tenant
        self.now = now
        self.refreshToken = refreshToken
        self.event = event
    }
}
