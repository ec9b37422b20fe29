import Audit
package import AuthorizationCore
import JOSE
import Localization
package import OAuthWire
import Primitives

/// Logs the browser out (OIDC RP-Initiated Logout 1.0, and Auth0's `/v2/logout`).
package struct EndSession: Sendable {
    package enum Outcome: Sendable, Equatable {
        /// Return to the client, at a registered address, to which `state` was added.
        case redirect(String)
        /// Show that the browser is logged out.
        case loggedOut
        /// Nothing proves that the person wants it: ask, and call again with `confirmed` and the same parameters. `user`
        /// is the name that the page shows of the session's user.
        case confirm(user: String)
    }

    package struct Answer: Sendable, Equatable {
        package let outcome: Outcome
        /// The session that ended. The browser loses its cookie.
        package let ended: SessionEnd?
    }

    let store: any SessionStore
    let verifier: any Verifier
    let hashing: any Hashing

    /// `/oidc/logout`. Throws `AuthorizationPageFailure`.
    package func logOut(
        _ parameters: Parameters, confirmed: Bool, browser: Browser, context: RequestContext
    ) async throws -> Answer {
        let configuration = context.configuration
        let hint = try parameters["id_token_hint"].map { text throws(AuthorizationPageFailure) in
            try IDTokenHint(text, configuration: configuration, verifier: verifier)
        }
        if let named = parameters["client_id"], let hint, named != hint.client.id.rawValue {
            throw Self.refused(localized.failure.logout.otherAudience)
        }
        if let named = parameters["logout_hint"], let known = hint?.session, named != known.rawValue {
            throw Self.refused(localized.failure.logout.otherSession)
        }
        let client = try hint?.client ?? Self.client(parameters["client_id"], configuration)
        let target = try Self.target(
            parameters["post_logout_redirect_uri"], client, configuration.tenant, state: parameters["state"])
        let outcome = target.map(Outcome.redirect) ?? .loggedOut
        guard let (session, user) = try await store.session(of: browser, context, hashing) else {
            return Answer(outcome: outcome, ended: nil)
        }
        let sid = hint?.session ?? parameters["logout_hint"].map { SessionID($0) }
        let isKnown = sid.map { $0 == session.id } ?? (hint.map { $0.user == session.authentication.user } ?? false)
        // RP-Initiated Logout 2: without a hint, or with one of another session, the person is asked.
        guard isKnown || confirmed else {
            return Answer(outcome: .confirm(user: user.accountName), ended: nil)
        }
        return Answer(outcome: outcome, ended: try await end(session, client, context))
    }

    /// `/v2/logout`, which asks nothing. Throws `AuthorizationPageFailure`.
    package func logOutAtOnce(
        _ parameters: Parameters, browser: Browser, context: RequestContext
    ) async throws -> Answer {
        let configuration = context.configuration
        let client = try Self.client(parameters["client_id"], configuration)
        let target =
            try Self.target(parameters["returnTo"], client, configuration.tenant, ignoringQuery: true)
            ?? client?.allowedLogoutURLs.first
        let outcome = target.map(Outcome.redirect) ?? .loggedOut
        guard let (session, _) = try await store.session(of: browser, context, hashing) else {
            return Answer(outcome: outcome, ended: nil)
        }
        return Answer(outcome: outcome, ended: try await end(session, client, context))
    }

    private func end(_ session: Session, _ client: Client?, _ context: RequestContext) async throws -> SessionEnd? {
        try await store.end(
            .cookie(hash: session.hash), tenant: context.tenant.id,
            event: context.event(
                .loggedOut, charge: .once(.session), user: session.authentication.user, client: client?.id,
                details: ["sid": .string(session.id.rawValue)]))
    }

    private static func client(
        _ id: String?, _ configuration: TenantConfiguration
    ) throws(AuthorizationPageFailure) -> Client? {
        guard let id else { return nil }
        guard let client = configuration.client(ClientID(id)) else {
            throw refused(localized.failure.logout.unknownClient)
        }
        return client
    }

    /// The address to return to. The client, or without one the tenant, must have registered it, letter for letter
    /// (RP-Initiated Logout 3). `ignoringQuery` does not compare query and fragment, as Auth0 does.
    private static func target(
        _ requested: String?, _ client: Client?, _ tenant: Tenant, state: String? = nil, ignoringQuery: Bool = false
    ) throws(AuthorizationPageFailure) -> String? {
        guard let requested else { return nil }
        let registered = client?.allowedLogoutURLs ?? tenant.settings.allowedLogoutURLs
        func place(_ url: String) -> Substring.UTF8View { url.prefix { $0 != "?" && $0 != "#" }.utf8 }
        // Not with ==, which treats equivalent letters of Unicode as the same.
        let isRegistered = registered.contains { url in
            url.utf8.elementsEqual(requested.utf8) || (ignoringQuery && place(url).elementsEqual(place(requested)))
        }
        guard isRegistered, requested.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw refused(localized.failure.logout.unregisteredURL)
        }
        guard let state else { return requested }
        return "\(requested)\(requested.contains("?") ? "&" : "?")state=\(PercentEncoding.encode(state))"
    }

    static func refused(_ reason: LocalizedText) -> AuthorizationPageFailure {
        AuthorizationPageFailure(
            .logout, LocalizedText { $0.texts.failure.logout.invalid(reason[$0]) }, detail: reason[.english])
    }
}

/// An ID token of this server that names a user and a session. It may have expired (RP-Initiated Logout 2).
struct IDTokenHint {
    let client: Client
    let user: UserID
    let session: SessionID?

    init(_ text: String, configuration: TenantConfiguration, verifier: any Verifier) throws(AuthorizationPageFailure) {
        func refused() -> AuthorizationPageFailure { EndSession.refused(localized.failure.logout.foreignToken) }
        // Access and logout tokens are signed by the same keys, but have no client as audience or another `typ`.
        guard let jws = try? JWS(parsing: text), jws.type == "JWT" || jws.type == nil,
            let key = configuration.keys.published.key(id: jws.keyID, for: jws.algorithm),
            let payload = try? jws.verified(by: key, allowed: Set(JWSAlgorithm.allCases), using: verifier),
            let claims = Claims(payload: payload), configuration.tenant.isIssuer(claims.issuer ?? ""),
            let subject = claims.subject, claims.audience.count == 1,
            let client = claims.audience.first.flatMap({ configuration.client(ClientID($0)) })
        else { throw refused() }
        self.client = client
        user = UserID(subject)
        session = claims["sid"]?.stringValue.map { SessionID($0) }
    }
}
