package import Primitives

/// Ways in which a client learns the outcome of a request (CIBA Core 5).
package enum BackchannelTokenDeliveryMode: String, Sendable, CaseIterable { case poll }

/// A request to start (CIBA Core 7.1), read from its parameters. Its values have the standard's form. The flow checks
/// that client and user may do it.
package struct BackchannelAuthenticationRequest: Sendable {
    package var loginHint: LoginHint
    package var bindingMessage: BindingMessage
    package var scope: ScopeSet
    package var audience: String?
    package var authorizationDetails: AuthorizationDetails?
    /// `1...259200 seconds`.
    package var requestedExpiry: Int
    /// `approval_receipt`: true if a receipt is to come with the tokens.
    package var wantsReceipt: Bool

    package static let expiryRange = 1...259_200
    package static let defaultExpiry = 300

    package init(
        parsing parameters: Parameters, alphabet: BindingMessage.Alphabet, limits: AuthorizationDetails.Limits
    ) throws(OAuthError) {
        for (name, advice) in Self.unsupported where parameters[name] != nil {
            throw OAuthError(.invalidRequest, "\(name) is not supported; \(advice)")
        }
        scope = try ScopeSet(parsing: parameters["scope"] ?? "")
        let details = parameters["authorization_details"]
        guard scope.contains("openid") || details != nil else {
            throw OAuthError(.invalidRequest, "openid scope must be requested")
        }
        guard let message = parameters["binding_message"] else {
            throw OAuthError(.invalidRequest, "binding_message is required")
        }
        bindingMessage = try BindingMessage(message, alphabet: alphabet)
        loginHint = try LoginHint(parsing: try parameters.required("login_hint"))
        audience = parameters.audience
        let expiry = parameters["requested_expiry"] == nil ? "request_expiry" : "requested_expiry"
        requestedExpiry = try Self.expiry(parameters[expiry], named: expiry)
        switch parameters["approval_receipt"] {
        case nil, "false": wantsReceipt = false
        case "true": wantsReceipt = true
        case _?: throw OAuthError(.invalidRequest, "approval_receipt must be true or false")
        }
        authorizationDetails =
            if let details { try AuthorizationDetails(parsing: details, limits: limits) } else { nil }
    }

    /// Unsupported parameters that must not be ignored, with advice.
    private static let unsupported: [(name: String, advice: ErrorDescription)] = {
        let hint: ErrorDescription = "name the user with login_hint"
        return [
            ("request", "send the parameters themselves in the body, not as a signed request"),
            ("id_token_hint", hint), ("login_hint_token", hint),
            ("user_code", "leave it out: users prove themselves on their phones"),
            ("client_notification_token", "leave it out and poll the token endpoint: nobody is notified"),
        ]
    }()

    private static func expiry(_ text: String?, named name: String) throws(OAuthError) -> Int {
        guard let text else { return defaultExpiry }
        guard text.utf8.count <= 12, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let seconds = Int(text),
            expiryRange.contains(seconds)
        else {
            throw OAuthError(.invalidRequest, "\(name) must be a whole number of seconds from 1 to 259200")
        }
        return seconds
    }
}

/// The acknowledgement (CIBA Core 7.3).
package struct BackchannelAuthenticationResponse: Sendable, Equatable {
    package var authReqID: String
    /// Seconds.
    package var expiresIn: Int
    /// Seconds to wait between two polls. Nil if the server left it out, which means 5 (CIBA Core 7.3).
    package var interval: Int?
    /// Number that the client displays, and that the person picks on the phone. Nil if none has to be picked.
    package var matchingCode: String?
    /// URL of a page on which the user may decide. Nil from servers that have none.
    package var approvalURI: String?

    package init(
        authReqID: String, expiresIn: Int, interval: Int?, matchingCode: String? = nil, approvalURI: String? = nil
    ) {
        self.authReqID = authReqID
        self.expiresIn = expiresIn
        self.interval = interval
        self.matchingCode = matchingCode
        self.approvalURI = approvalURI
    }

    /// Nil if a required member is missing or of another type.
    package init?(_ value: JSONValue) {
        guard let authReqID = value["auth_req_id"]?.stringValue, !authReqID.isEmpty,
            let expiresIn = value["expires_in"]?.intValue, expiresIn > 0
        else { return nil }
        self.init(
            authReqID: authReqID, expiresIn: expiresIn, interval: value["interval"]?.intValue,
            matchingCode: value["matching_code"]?.stringValue, approvalURI: value["approval_uri"]?.stringValue)
    }

    package var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.member("auth_req_id", authReqID)
            writer.member("expires_in", expiresIn)
            if let interval { writer.member("interval", interval) }
            writer.member("matching_code", ifPresent: matchingCode)
            writer.member("approval_uri", ifPresent: approvalURI)
        }
    }
}
