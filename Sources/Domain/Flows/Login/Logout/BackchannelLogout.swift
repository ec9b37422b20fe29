package import Audit
package import AuthorizationCore
import JOSE
package import Primitives

/// Why a logout token was not taken.
package struct LogoutNotSent: Error, Sendable, Equatable {
    /// One text for all that can be wrong with an address. A tenant chose it, and must not learn from their log which
    /// ports are open, closed or filtered where this server is.
    package static let unreachable = "the address cannot be reached from this server"

    /// For the tenant's log.
    package let reason: String
    /// For the operator's log.
    package let detail: String

    package init(reason: String, detail: String) {
        self.reason = reason
        self.detail = detail
    }
}

/// Posts logout tokens.
package protocol LogoutNotifier: Sendable {
    /// POSTs the form `logout_token=…` (OIDC Back-Channel Logout 1.0, 2.5), and throws `LogoutNotSent` unless it was
    /// answered 200 or 204 within a few seconds. Redirects are not followed.
    func notify(_ url: String, logoutToken: String) async throws
}

/// A client that is to hear that a session ended.
package struct DueLogout: Sendable, Equatable {
    package let id: Int64
    package let tenant: TenantID
    package let client: ClientID
    package let user: UserID
    package let session: SessionID
    /// The tenant's host that the client got its code on; nil where that was not kept.
    package let host: String?
    /// When the session ended.
    package let endedAt: Timestamp
    /// Why nobody was told within `life`.
    package static func reasonForLateness(lastTry reason: String?) -> String {
        let late = "not told within \(life.components.seconds / 60) minutes"
        return reason.map { "\(late); the last try: \($0)" } ?? "\(late); no worker got to it"
    }

    /// How often it could not be told.
    package let attempts: Int
    /// Why the last try failed.
    package let reason: String?

    /// From the end of a session until nobody is told of it any more.
    package static let life = Duration.seconds(1800)

    package init(
        id: Int64, tenant: TenantID, client: ClientID, user: UserID, session: SessionID, host: String?,
        endedAt: Timestamp, attempts: Int, reason: String? = nil
    ) {
        self.id = id
        self.tenant = tenant
        self.client = client
        self.user = user
        self.session = session
        self.host = host
        self.endedAt = endedAt
        self.attempts = attempts
        self.reason = reason
    }
}

/// What telling clients of ended sessions needs of a store. The change that ends a session keeps whom to tell of it.
package protocol LogoutStore: Sendable {
    /// Of each client those that wait for longest, `perClient` at most, and `limit` in all.
    func dueLogouts(now: Timestamp, perClient: Int, limit: Int) async throws -> [DueLogout]

    /// The client was told, cannot be told, or does not want to be.
    func removeLogout(_ id: Int64, event: AuditEvent?) async throws

    /// `reason` is why the try failed.
    func postponeLogout(_ id: Int64, attempts: Int, dueAt: Timestamp, reason: String) async throws
}

/// Tells clients that a session ended (OIDC Back-Channel Logout 1.0).
package struct BackchannelLogout: Sendable {
    /// Seconds that a logout token is good for (Back-Channel Logout 4 recommends at most two minutes).
    static let tokenLifetime = 120
    /// Back-Channel Logout 2.4.
    static let event = "http://schemas.openid.net/event/backchannel-logout"

    private let notifier: any LogoutNotifier
    private let random: any RandomSource

    package init(notifier: any LogoutNotifier, random: any RandomSource) {
        self.notifier = notifier
        self.random = random
    }

    /// Posts a logout token that is made now. False where the client does not ask to be told. Throws where it could
    /// not be told.
    package func tell(_ due: DueLogout, configuration: TenantConfiguration, now: Timestamp) async throws -> Bool {
        guard let client = configuration.client(due.client), let url = client.backchannelLogoutURL else { return false }
        try await notifier.notify(url, logoutToken: try token(for: client, due, configuration: configuration, now: now))
        return true
    }

    /// Back-Channel Logout 2.4: `typ` is its own and there is no nonce, so that it cannot pass for an ID token. The
    /// issuer is that of the client's ID tokens, or the client must refuse it (2.6).
    private func token(
        for client: Client, _ due: DueLogout, configuration: TenantConfiguration, now: Timestamp
    ) throws -> String {
        guard let signer = configuration.keys.signer(for: client.idTokenAlgorithm) else {
            throw TokenIssuer.Failure.noKey(client.idTokenAlgorithm)
        }
        var claims = JSONWriter(capacity: 384)
        claims.object { claims in
            claims.member("iss", configuration.tenant.issuer)
            claims.member("aud", client.id.rawValue)
            claims.member("iat", now.seconds)
            claims.member("exp", now.seconds + Int64(Self.tokenLifetime))
            claims.member("jti", Base64URL.encode(random.bytes(16)))
            claims.member("sub", due.user.rawValue)
            claims.member("sid", due.session.rawValue)
            claims.member("events", [Self.event: [:]] as JSONValue)
        }
        return try JWS.sign(claims.bytes, type: "logout+jwt", with: signer)
    }
}
