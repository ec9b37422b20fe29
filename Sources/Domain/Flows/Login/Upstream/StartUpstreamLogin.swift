package import AuthorizationCore
package import OAuthWire
import Primitives

/// Sends a browser to another provider (RFC 6749 clause 4.1.1, OIDC Core 3.1.2.1).
package struct StartUpstreamLogin: Sendable {
    /// Parameters of the client for the login.
    package struct Demands: Sendable, Equatable {
        /// E-mail address or name that the provider's form begins with.
        package var loginHint: String?
        package var prompts: Set<AuthorizationRequest.Prompt> = []
        /// Longest time since the person proved themselves, in seconds.
        package var maxAge: Int?
        package var uiLocales: String?
    }

    let providers: UpstreamProviders
    let hashing: any Hashing
    let random: any RandomSource

    /// Returns the browser's next address, and the attempt to keep until the browser returns. `transaction` is the id of
    /// the login here, which must be bound to the browser: `state` leads back to it.
    package func start(
        _ connection: LoginConnection, transaction: String, demands: Demands = Demands(), context: RequestContext
    ) async throws(UpstreamFailure) -> (location: String, attempt: UpstreamAttempt) {
        guard let upstream = connection.upstream else { throw .state }
        // An OAuth 2 provider tells no `auth_time`, so no age can be promised.
        guard demands.maxAge == nil || upstream.reportsTime else { throw .notRecent }
        // `prompt=login` means the age 0; with `max_age` a provider must tell the time (OIDC Core 3.1.2.1).
        let maxAge = demands.prompts.contains(.login) ? 0 : demands.maxAge
        let state = "\(transaction).\(Identifiers.handle(random))"
        let attempt = UpstreamAttempt(
            connection: connection.name, stateHash: hashing.digest(state),
            nonce: Identifiers.handle(random), verifier: Identifiers.handle(random),
            redirectURI: EndpointPath.upstreamCallback.url(below: context.tenant.issuer),
            provenSince: maxAge.map { context.now - .seconds($0) },
            needsTime: demands.maxAge != nil)
        var query = FormFields([
            ("response_type", "code"), ("client_id", upstream.clientID), ("redirect_uri", attempt.redirectURI),
            ("state", state),
            // Always: a provider that knows no PKCE ignores it (RFC 7636 clause 5).
            ("code_challenge", CodeChallenge(of: attempt.verifier, hashing).description),
            ("code_challenge_method", CodeChallenge.method),
        ])
        if !upstream.scope.isEmpty { query.append("scope", upstream.scope) }
        let endpoint: EndpointURL
        switch upstream.dialect {
        case .openIDConnect(let issuer):
            endpoint = try await providers.provider(issuer, now: context.now).authorization
            query.append("nonce", attempt.nonce)
            if let hint = demands.loginHint { query.append("login_hint", hint) }
            if let locales = demands.uiLocales { query.append("ui_locales", locales) }
            if let prompt = Self.prompt(demands.prompts) { query.append("prompt", prompt) }
            if let maxAge { query.append("max_age", "\(maxAge)") }
        case .github(let url, let apiURL):
            endpoint = OAuth2Endpoints.github(url: url, apiURL: apiURL).authorization
            if let hint = demands.loginHint { query.append("login", hint) }
            // GitHub knows no other value.
            if demands.prompts.contains(.selectAccount) { query.append("prompt", "select_account") }
        case .oauth2(let endpoints): endpoint = endpoints.authorization
        }
        return (endpoint.appending(query: query.encoded), attempt)
    }

    /// Prompts to pass on. `none` never gets here, since the browser is shown pages, and `consent` is this server's page.
    private static func prompt(_ prompts: Set<AuthorizationRequest.Prompt>) -> String? {
        let passed = [AuthorizationRequest.Prompt.login, .selectAccount].filter { prompts.contains($0) }
        return passed.isEmpty ? nil : passed.map(\.rawValue).joined(separator: " ")
    }
}

extension UpstreamProvider {
    /// True if the provider can tell `auth_time`.
    var reportsTime: Bool { if case .openIDConnect = dialect { true } else { false } }
}
