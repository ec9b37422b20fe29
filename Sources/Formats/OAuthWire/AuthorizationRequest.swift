/// An authorization request (RFC 6749 clause 4.1.1, OIDC Core 3.1.2.1), read from its parameters. The flow checks that
/// the client may send it, and its redirect URI.
package struct AuthorizationRequest: Sendable, Equatable {
    /// Way that the answer takes to the client (OAuth 2.0 Multiple Response Types 2.1, Form Post Response Mode).
    package enum ResponseMode: String, Sendable, CaseIterable {
        case query, fragment
        case formPost = "form_post"
        /// A message to the window that framed or opened this one, for Auth0's SDKs for single-page apps.
        case webMessage = "web_message"
    }

    package enum Prompt: String, Sendable, CaseIterable {
        case none, login, consent
        case selectAccount = "select_account"
    }

    package let responseMode: ResponseMode
    /// Without its fragment. Nil if the client has only one.
    package let redirectURI: String?
    package let scope: ScopeSet
    package let state: String?
    package let nonce: String?
    package let audience: String?
    /// Nil means without PKCE, which is allowed for some confidential clients only.
    package let codeChallenge: CodeChallenge?
    package let authorizationDetails: AuthorizationDetails?
    package let connection: String?
    package let prompts: Set<Prompt>
    /// Maximum seconds since the user's last authentication.
    package let maxAge: Int?
    /// E-mail address that the login form begins with.
    package let loginHint: String?
    /// Unverified ID token of the expected user.
    package let idTokenHint: String?
    package let wantsSignUp: Bool
    package let uiLocales: String?

    /// Parameters that are kept. All others are ignored.
    package static let parameterNames = [
        "response_type", "response_mode", "client_id", "redirect_uri", "scope", "state", "nonce", "audience",
        "resource", "code_challenge", "code_challenge_method", "authorization_details", "connection", "prompt",
        "max_age", "login_hint", "screen_hint", "ui_locales", "id_token_hint",
    ]

    /// Parameters that a login's pages need. The hint's content is kept instead of the hint.
    package static let keptNames = parameterNames.filter { $0 != "id_token_hint" }

    /// Throws the error to send to the client. Its redirect URI was checked before.
    package init(parsing parameters: Parameters, limits: AuthorizationDetails.Limits) throws(OAuthError) {
        guard parameters["request"] == nil else {
            throw OAuthError(
                .requestNotSupported,
                "request is not supported; send its parameters, best to \(EndpointPath.pushedAuthorization.rawValue)")
        }
        guard parameters["registration"] == nil else {
            throw OAuthError(
                .registrationNotSupported, "registration is not supported; clients are registered beforehand")
        }
        let type = try parameters.required("response_type")
        guard type == "code" else {
            throw OAuthError(
                .unsupportedResponseType,
                "response_type must be code: tokens are issued only at \(EndpointPath.token.rawValue)")
        }
        responseMode = try Self.choice(parameters, "response_mode") ?? .query
        redirectURI = parameters["redirect_uri"].map(RedirectURI.withoutFragment)
        scope = try ScopeSet(parsing: try Self.limited(parameters, "scope", 4096) ?? "")
        state = try Self.limited(parameters, "state", 2048)
        nonce = try Self.limited(parameters, "nonce", 512)
        let named = try Self.limited(parameters, "audience", 1024)
        let resource = try Self.limited(parameters, "resource", 1024)
        audience = named ?? resource
        codeChallenge = try Self.challenge(parameters)
        authorizationDetails =
            if let text = parameters["authorization_details"] {
                try AuthorizationDetails(parsing: text, limits: limits)
            } else { nil }
        connection = try Self.limited(parameters, "connection", 128)
        prompts = try Self.prompts(try Self.limited(parameters, "prompt", 128))
        maxAge = try Self.maxAge(parameters["max_age"])
        loginHint = try Self.limited(parameters, "login_hint", 254)
        idTokenHint = try Self.limited(parameters, "id_token_hint", 8192)
        wantsSignUp = parameters["screen_hint"] == "signup"
        uiLocales = try Self.limited(parameters, "ui_locales", 256)
    }

    /// The request of a login that no client asked for. It asks for nothing.
    package init(uiLocales: String?) {
        responseMode = .query
        redirectURI = nil
        scope = ScopeSet()
        state = nil
        nonce = nil
        audience = nil
        codeChallenge = nil
        authorizationDetails = nil
        connection = nil
        prompts = []
        maxAge = nil
        loginHint = nil
        idTokenHint = nil
        wantsSignUp = false
        self.uiLocales = uiLocales
    }

    /// RFC 7636 clause 4.3. A method without a challenge is refused, because the challenge was removed.
    private static func challenge(_ parameters: Parameters) throws(OAuthError) -> CodeChallenge? {
        let method = parameters["code_challenge_method"]
        guard let text = parameters["code_challenge"] else {
            if method == nil { return nil }
            throw .missing("code_challenge")
        }
        // An absent method means plain.
        guard method == CodeChallenge.method else {
            throw OAuthError(.invalidRequest, "code_challenge_method must be S256; plain is not supported")
        }
        return try CodeChallenge(parsing: text)
    }

    private static func prompts(_ text: String?) throws(OAuthError) -> Set<Prompt> {
        var prompts: Set<Prompt> = []
        for word in (text ?? "").split(separator: " ") {
            guard let prompt = Prompt(rawValue: String(word)) else {
                throw OAuthError(.invalidRequest, "prompt may hold none, login, consent and select_account")
            }
            prompts.insert(prompt)
        }
        guard !prompts.contains(.none) || prompts.count == 1 else {
            throw OAuthError(.invalidRequest, "prompt=none excludes every other prompt")
        }
        return prompts
    }

    private static func maxAge(_ text: String?) throws(OAuthError) -> Int? {
        guard let text else { return nil }
        guard text.utf8.count <= 10, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int(text)
        else { throw OAuthError(.invalidRequest, "max_age must be a whole number of seconds") }
        return seconds
    }

    private static func choice<Value: RawRepresentable<String> & CaseIterable>(
        _ parameters: Parameters, _ name: String
    ) throws(OAuthError) -> Value? {
        guard let text = parameters[name] else { return nil }
        guard let value = Value(rawValue: text) else {
            let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw OAuthError(.invalidRequest, "\(name) must be one of \(known)")
        }
        return value
    }

    private static func limited(_ parameters: Parameters, _ name: String, _ limit: Int) throws(OAuthError) -> String? {
        guard let text = parameters[name] else { return nil }
        guard text.utf8.count <= limit else {
            throw OAuthError(.invalidRequest, "\(name) has \(text.utf8.count) bytes; at most \(limit) are accepted")
        }
        return text
    }
}
