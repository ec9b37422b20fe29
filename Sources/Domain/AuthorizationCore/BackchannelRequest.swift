public import OAuthWire
public import Primitives

/// A request for a user's decision (CIBA Core 7), from its start to its end.
public struct BackchannelRequest: Sendable, Equatable {
    public enum State: Int, Sendable {
        case pending = 0
        case approved = 1
        case denied = 2
        /// Tokens were given.
        case redeemed = 3
        /// Nobody decided in time, and the audit log has it.
        case expired = 4
    }

    public enum Decision: Sendable, Equatable {
        case allow
        /// With what the person said, where they said it.
        case reject(reason: String?)

        public var state: State { if case .allow = self { .approved } else { .denied } }

        public var reason: String? { if case .reject(let reason) = self { reason } else { nil } }
    }

    /// Grows with every request of a database; 0 before it is stored. Device streams resume by it.
    public var sequence: Int64 = 0
    public let consentID: ConsentID
    public let tenant: TenantID
    public let client: ClientID
    public let user: UserID
    public let scope: ScopeSet
    /// The API's identifier, or the userinfo endpoint.
    public let audience: String
    public let bindingMessage: String
    public let authorizationDetails: JSONValue?
    public let channel: Client.NotificationChannel
    public let createdAt: Timestamp
    public let expiresAt: Timestamp
    /// Seconds between two polls.
    public let interval: Int
    public var state = State.pending
    public var decidedAt: Timestamp?
    public var decidedBy: DeviceID?
    /// SHA-256 of the login transaction that asks for a second factor. Nil for a request of the client.
    public var logIn: [UInt8]?

    public init(
        consentID: ConsentID, tenant: TenantID, client: ClientID, user: UserID, scope: ScopeSet, audience: String,
        bindingMessage: String, authorizationDetails: JSONValue?, channel: Client.NotificationChannel,
        createdAt: Timestamp, expiresAt: Timestamp, interval: Int
    ) {
        self.consentID = consentID
        self.tenant = tenant
        self.client = client
        self.user = user
        self.scope = scope
        self.audience = audience
        self.bindingMessage = bindingMessage
        self.authorizationDetails = authorizationDetails
        self.channel = channel
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.interval = interval
    }

    /// A request is over at its expiry, whatever was decided before.
    public func isExpired(at now: Timestamp) -> Bool { now >= expiresAt }
}
