package import Primitives

/// Answer to the client through the browser (RFC 6749 clause 4.1.2), with `iss` (RFC 9207).
package struct AuthorizationResponse: Sendable, Equatable {
    package let redirectURI: String
    package let mode: AuthorizationRequest.ResponseMode
    /// `code`, or `error` and `error_description`; then `state` and `iss`.
    package let parameters: FormFields

    package init(
        redirectURI: String, mode: AuthorizationRequest.ResponseMode, _ parameters: [(name: String, value: String)],
        state: String?, issuer: String
    ) {
        self.redirectURI = redirectURI
        self.mode = mode
        var fields = FormFields(parameters)
        if let state { fields.append("state", state) }
        fields.append("iss", issuer)
        self.parameters = fields
    }

    /// Leads back to a page of this server, which gets neither a code nor an error.
    package init(page url: String) { self.init(redirectURI: url, mode: .query, FormFields()) }

    /// Nil in an error.
    package var code: String? { parameters["code"] }

    /// The same response with another code.
    package func with(code: String) -> AuthorizationResponse {
        AuthorizationResponse(
            redirectURI: redirectURI, mode: mode,
            FormFields(parameters.pairs.map { (name: $0.name, value: $0.name == "code" ? code : $0.value) }))
    }

    private init(redirectURI: String, mode: AuthorizationRequest.ResponseMode, _ parameters: FormFields) {
        self.redirectURI = redirectURI
        self.mode = mode
        self.parameters = parameters
    }

    /// Origin of the only window that may get the answer in the mode `web_message`, which is the redirect URI's. Nil in
    /// every other mode.
    package var messageTarget: WebOrigin? {
        mode == .webMessage ? RedirectURI(registering: redirectURI).flatMap(WebOrigin.init(of:)) : nil
    }

    /// Address for the browser in the modes `query` and `fragment`. Keeps other parameters of the redirect URI (RFC
    /// 6749 clause 3.1.2).
    package var location: String {
        if parameters.pairs.isEmpty { return redirectURI }
        return switch mode {
        case .fragment: "\(redirectURI)#\(parameters.encoded)"
        case .query, .formPost, .webMessage:
            "\(redirectURI)\(redirectURI.contains("?") ? "&" : "?")\(parameters.encoded)"
        }
    }
}
