package import OAuthWire
package import Primitives

/// A request for a user's decision (CIBA Core 7), from its start to its end.
package struct BackchannelRequest: Sendable, Equatable {
    package enum State: Int, Sendable {
        case pending = 0
        case approved = 1
        case denied = 2
        /// Tokens were issued.
        case redeemed = 3
        /// Nobody decided in time, and the audit log has an entry of it.
        case expired = 4
    }

    package enum Decision: Sendable, Equatable {
        case allow
        /// `reason` is the user's own text. Nil means that the user gave none.
        case reject(reason: String?)

        package var state: State { if case .allow = self { .approved } else { .denied } }

        package var reason: String? { if case .reject(let reason) = self { reason } else { nil } }
    }

    /// Increases with every request of a database. 0 before the request is stored. Device streams resume by it.
    package var sequence: Int64 = 0
    package let consentID: ConsentID
    package let tenant: TenantID
    package let client: ClientID
    package let user: UserID
    package let scope: ScopeSet
    /// The API's identifier, or the userinfo endpoint.
    package let audience: String
    package let bindingMessage: String
    package let authorizationDetails: JSONValue?
    package let channel: Client.NotificationChannel
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// Seconds between two polls.
    package let interval: Int
    package var state = State.pending
    package var decidedAt: Timestamp?
    package var decidedBy: DeviceID?
    /// SHA-256 of the login transaction that asks for a second factor. Nil for a request of the client.
    package var login: [UInt8]?

    package init(
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

    /// A request ends at its expiry, whatever was decided before.
    package func isExpired(at now: Timestamp) -> Bool { now >= expiresAt }
}
