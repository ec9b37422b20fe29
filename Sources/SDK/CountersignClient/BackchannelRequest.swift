public import OAuthWire
public import Primitives

/// What to ask a person for (CIBA Core 7.1).
public struct BackchannelRequest: Sendable {
    /// The user's id at the server (`sub`), such as `auth0|65f0…`, or verified e-mail address.
    public var user: String
    /// What the person reads on the device and should recognise: 1 to 64 characters.
    public var bindingMessage: String
    /// `openid` brings an ID token, `offline_access` a refresh token.
    public var scope: [String]
    /// The identifier of the API that the access token is for.
    public var audience: String?
    /// Rich Authorization Requests: objects that each have a `type`.
    public var authorizationDetails: [JSONValue]
    /// How long the person has to answer, in whole seconds from 1 to 259200; nil leaves it to the server.
    public var requestedExpiry: Duration?
    /// Which characters the tenant accepts in binding messages.
    public var alphabet = BindingMessage.Alphabet.restricted

    public init(
        user: String, bindingMessage: String, scope: [String] = ["openid"], audience: String? = nil,
        authorizationDetails: [JSONValue] = [], requestedExpiry: Duration? = nil
    ) {
        self.user = user
        self.bindingMessage = bindingMessage
        self.scope = scope
        self.audience = audience
        self.authorizationDetails = authorizationDetails
        self.requestedExpiry = requestedExpiry
    }

    /// Asks for typed authorization details, of one type or of several.
    public init(
        user: String, bindingMessage: String, scope: [String] = ["openid"], audience: String? = nil,
        authorizationDetails: [any AuthorizationDetail], requestedExpiry: Duration? = nil
    ) throws(CountersignError) {
        var values: [JSONValue] = []
        for detail in authorizationDetails { values.append(try detail.json()) }
        self.init(
            user: user, bindingMessage: bindingMessage, scope: scope, audience: audience,
            authorizationDetails: values, requestedExpiry: requestedExpiry)
    }

    /// The parameters, checked as far as that needs no server.
    func form(issuer: String) throws(CountersignError) -> FormFields {
        var form = FormFields()
        do throws(OAuthError) {
            form.append("scope", try ScopeSet(parsing: scope.joined(separator: " ")).description)
            form.append("binding_message", try BindingMessage(bindingMessage, alphabet: alphabet).text)
            let hint = LoginHint(user: user, issuer: issuer).json
            form.append("login_hint", try LoginHint(parsing: hint).json)
            if !authorizationDetails.isEmpty {
                let details = try AuthorizationDetails(.array(authorizationDetails), limits: nil)
                form.append("authorization_details", JSONWriter.string(details.json))
            }
        } catch {
            throw CountersignError(error)
        }
        if let audience { form.append("audience", audience) }
        if let requestedExpiry {
            let range = BackchannelAuthenticationRequest.expiryRange
            let seconds = requestedExpiry.components.seconds
            guard requestedExpiry == .seconds(seconds), range.contains(Int(clamping: seconds)) else {
                throw .invalidRequest(
                    "requestedExpiry must be whole seconds from \(range.lowerBound) to \(range.upperBound)")
            }
            form.append("requested_expiry", String(seconds))
        }
        return form
    }
}

extension CountersignError {
    /// A request that was found wrong before it was sent.
    init(_ error: OAuthError) {
        let text = error.description.text
        self =
            switch error.code {
            case .invalidBindingMessage: .invalidBindingMessage(text)
            case .invalidAuthorizationDetails: .invalidAuthorizationDetails(text)
            default: .invalidRequest(text)
            }
    }
}
