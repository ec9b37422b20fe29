public import AuthorizationCore
import JOSE
public import Primitives

/// Posts logout tokens.
public protocol LogoutNotifier: Sendable {
    /// POSTs the form `logout_token=…` (OIDC Back-Channel Logout 1.0, 2.5), and throws unless it was answered 200 or
    /// 204 within a few seconds. Redirects are not followed.
    func notify(_ url: String, logoutToken: String) async throws
}

/// Tells clients that a session ended (OIDC Back-Channel Logout 1.0).
public struct BackchannelLogout: Sendable {
    /// Seconds that a logout token is good for (Back-Channel Logout 4 recommends at most two minutes).
    static let tokenLifetime = 120
    /// Back-Channel Logout 2.4.
    static let event = "http://schemas.openid.net/event/backchannel-logout"

    private let notifier: any LogoutNotifier
    private let log: any AuditLog
    private let random: any RandomSource

    public init(notifier: any LogoutNotifier, log: any AuditLog, random: any RandomSource) {
        self.notifier = notifier
        self.log = log
        self.random = random
    }

    /// Does `notify` for each of the sessions, and waits for none of it. To be called once their end is durable.
    public func tell(of ended: [SessionEnd], directory: TenantDirectory, now: Timestamp) {
        guard !ended.isEmpty else { return }
        Task { for session in ended { await notify(session, directory: directory, now: now) } }
    }

    /// Tells all clients of the session that asked to be told, at the same time, once each. Returns when all were
    /// told or could not be, with an audit event each; the browser need not wait for it.
    public func notify(_ ended: SessionEnd, directory: TenantDirectory, now: Timestamp) async {
        await withTaskGroup(of: Void.self) { group in
            for client in ended.clients.compactMap({ directory.client($0) }) {
                guard let url = client.backchannelLogoutURL else { continue }
                group.addTask { await notify(client, at: url, ended, directory: directory, now: now) }
            }
        }
    }

    private func notify(
        _ client: Client, at url: String, _ ended: SessionEnd, directory: TenantDirectory, now: Timestamp
    ) async {
        var event = AuditEvent(
            .backchannelLogoutSent, tenant: directory.tenant.id, at: now, user: ended.user, client: client.id,
            details: ["sid": .string(ended.id.rawValue)])
        do {
            try await notifier.notify(
                url, logoutToken: try token(for: client, ended, directory: directory, now: now))
        } catch {
            event = AuditEvent(
                .backchannelLogoutFailed, tenant: directory.tenant.id, at: now, user: ended.user, client: client.id,
                details: ["sid": .string(ended.id.rawValue), "reason": .string("\(error)")])
        }
        // The session has ended, whether or not the log can say who heard of it.
        try? await log.record(event)
    }

    /// Back-Channel Logout 2.4: `typ` is its own and there is no nonce, so that it cannot pass for an ID token.
    func token(
        for client: Client, _ ended: SessionEnd, directory: TenantDirectory, now: Timestamp
    ) throws -> String {
        guard let signer = directory.keys.signer(for: client.idTokenAlgorithm) else {
            throw TokenIssuer.Failure.noKey(client.idTokenAlgorithm)
        }
        var claims = JSONWriter(capacity: 384)
        claims.object { claims in
            claims.member("iss", directory.tenant.issuer)
            claims.member("aud", client.id.rawValue)
            claims.member("iat", now.seconds)
            claims.member("exp", now.seconds + Int64(Self.tokenLifetime))
            claims.member("jti", Base64URL.encode(random.bytes(16)))
            claims.member("sub", ended.user.rawValue)
            claims.member("sid", ended.id.rawValue)
            claims.member("events", [Self.event: [:]] as JSONValue)
        }
        return try JWS.sign(claims.bytes, type: "logout+jwt", with: signer)
    }
}
