import HTTPModel
import OAuthWire
public import PlatformFoundation
import Primitives

extension CountersignClient {
    /// Logs a person in: shows the server's pages in a browser, receives the code, and exchanges it for verified tokens
    /// (OIDC Core 3.1, RFC 7636, RFC 8252).
    ///
    /// - Throws: `cancelledByUser`, `accessDenied`, or `expired` if nobody finished in time. With `prompt` none:
    ///   `loginRequired`, `consentRequired` or `interactionRequired`. For responses that are not genuine:
    ///   `stateMismatch`, `issuerMismatch` and `tokenInvalid`.
    public func login(
        _ parameters: AuthorizationParameters = AuthorizationParameters(), through agent: any UserAgent
    ) async throws(CountersignError) -> Tokens {
        let redirect = try await agent.prepare()
        let pending = try await beginLogin(parameters, redirectURI: redirect.uri)
        let callback = try await redirect.visit(pending.url, state: pending.state)
        return try await finishLogin(pending, callback: callback)
    }

    /// Starts a login whose browser the caller shows, for example in a web application.
    ///
    /// - Parameters:
    ///   - parameters: The login's parameters.
    ///   - redirectURI: A redirect URI of the client, exactly as registered. On a loopback address, any port is allowed
    ///     (RFC 8252 clause 7.3).
    public func beginLogin(
        _ parameters: AuthorizationParameters = AuthorizationParameters(), redirectURI: String
    ) async throws(CountersignError) -> PendingLogin {
        var form = try parameters.form()
        guard let uri = URL(string: redirectURI), uri.scheme != nil, uri.fragment() == nil else {
            throw .invalidRequest("the redirect URI must be absolute and without a fragment (RFC 6749 clause 3.1.2)")
        }
        guard let endpoint = try await provider.metadata().authorizationEndpoint else {
            throw .protocolViolation("the server does not offer logins")
        }
        let verifier = CodeVerifier(environment.random)
        let state = Base64URL.encode(environment.random.bytes(32))
        let nonce = Base64URL.encode(environment.random.bytes(32))
        let own = [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirectURI), ("state", state),
            ("nonce", nonce), ("code_challenge", CodeChallenge(of: verifier.text, environment.hashing).description),
            ("code_challenge_method", CodeChallenge.method),
        ]
        for (name, value) in own { form.append(name, value) }
        return PendingLogin(
            url: try Self.url(endpoint, form), redirectURI: redirectURI, state: state, nonce: nonce,
            codeVerifier: verifier.text, scope: parameters.scope, maxAge: parameters.maxAge?.components.seconds)
    }

    /// Completes a login with the URL that the browser returned to. Call it once: if a code is used twice, the server
    /// revokes the tokens of the first use (RFC 6749 clause 4.1.2). After any error, including `network`, start another
    /// login.
    public func finishLogin(_ pending: PendingLogin, callback: URL) async throws(CountersignError) -> Tokens {
        let metadata = try await provider.metadata()
        let answer = try AuthorizationResponse(
            callback: callback, to: pending, issuer: metadata.issuer,
            namesIssuer: metadata.authorizationResponseNamesIssuer)
        // RFC 6749 clause 4.1.3, RFC 7636 clause 4.5.
        let response = try await redeem(
            FormFields([
                ("grant_type", "authorization_code"), ("code", answer.code), ("redirect_uri", pending.redirectURI),
                ("code_verifier", pending.codeVerifier),
            ]))
        guard response.status == 200 else { throw ErrorAnswer(response).commonError }
        return try await tokens(
            in: try redeemed(response), scope: pending.scope,
            by: IDTokenRules(
                issuer: metadata.issuer, clientID: clientID, nonce: pending.nonce,
                maximumAge: pending.maxAge.map { .seconds($0) }))
    }

    /// Appends parameters to an endpoint, and keeps the endpoint's own query (RFC 6749 clause 3.1).
    static func url(_ endpoint: String, _ form: FormFields) throws(CountersignError) -> URL {
        guard let url = URL(string: endpoint + (endpoint.contains("?") ? "&" : "?") + form.encoded) else {
            throw .protocolViolation("the discovery document names an endpoint that is not a URL")
        }
        return url
    }
}
