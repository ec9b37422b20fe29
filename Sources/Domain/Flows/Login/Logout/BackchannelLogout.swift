package import AuthorizationCore
import JOSE
package import Primitives

/// A client did not take a logout token.
package struct LogoutNotSent: Error, Sendable, Equatable {
    /// One text for all that can be wrong with an address. A tenant chose it, and must not learn from their log which
    /// ports are open, closed or filtered where this server is.
    package static let unreachable = "the address cannot be reached from this server"

    /// For the tenant's log.
    package let reason: String
    /// For the operator's log.
    package let detail: String
    /// Wait that the client named.
    package let retryAfter: Duration?

    package init(reason: String, detail: String, retryAfter: Duration? = nil) {
        self.reason = reason
        self.detail = detail
        self.retryAfter = retryAfter
    }
}

/// Posts logout tokens.
package protocol LogoutNotifier: Sendable {
    /// POSTs the form `logout_token=…` (OIDC Back-Channel Logout 1.0, 2.5), and throws `LogoutNotSent` unless it was
    /// answered 200 or 204 within a few seconds. Redirects are not followed.
    func notify(_ url: String, logoutToken: String) async throws
}

/// Notifies clients that a session ended (OIDC Back-Channel Logout 1.0).
package struct BackchannelLogout: Sendable {
    /// Lifetime of a logout token in seconds (Back-Channel Logout 4 recommends at most two minutes).
    static let tokenLifetime = 120
    /// Back-Channel Logout 2.4.
    static let event = "http://schemas.openid.net/event/backchannel-logout"

    let notifier: any LogoutNotifier
    let random: any RandomSource

    /// Posts a logout token made now. False if the client has no URL for it. Throws if the client did not take it.
    package func notify(_ notice: LogoutNotice, configuration: TenantConfiguration, now: Timestamp) async throws -> Bool
    {
        guard let client = configuration.client(notice.client), let url = client.backchannelLogoutURL else {
            return false
        }
        try await notifier.notify(
            url, logoutToken: try token(for: client, notice, configuration: configuration, now: now))
        return true
    }

    /// Back-Channel Logout 2.4: `typ` is its own and there is no nonce, so that it cannot pass for an ID token. The
    /// issuer is that of the client's ID tokens, or the client must refuse it (2.6).
    private func token(
        for client: Client, _ notice: LogoutNotice, configuration: TenantConfiguration, now: Timestamp
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
            claims.member("sub", notice.user.rawValue)
            claims.member("sid", notice.session.rawValue)
            claims.member("events", [Self.event: [:]] as JSONValue)
        }
        return try JWS.sign(claims.bytes, type: "logout+jwt", with: signer)
    }
}
