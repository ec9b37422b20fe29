import HTTPModel
public import OAuthWire
public import Primitives

/// A request for a user's approval (CIBA Core 7.1).
public struct BackchannelRequest: Sendable {
    /// The user's id at the server (`sub`), such as `auth0|65f0…`, or the user's verified e-mail address or phone
    /// number (`+` and digits).
    public var user: String
    /// Text that the user's device shows, so that the user recognises the request: 1 to 64 characters.
    public var bindingMessage: String
    /// Requested scopes. `openid` adds an ID token, `offline_access` a refresh token.
    public var scope: [String]
    /// Identifier of the API that the access token is for. Nil means the tenant's default.
    public var audience: String?
    /// Authorization details (RFC 9396): JSON objects with a member `type`.
    public var authorizationDetails: [JSONValue]
    /// Time to answer, `1...259200` whole seconds. Nil means the server's default.
    public var requestedExpiry: Duration?
    /// Name of this request at the server, 1 to 255 printable ASCII characters. Until the request expires, a start with
    /// the same key and the same values gets the same answer, and the user's devices ring once. Use a value that is
    /// stored with the request's cause, such as an order's number, to repeat a start after a crash. Nil means a new
    /// random key for each start.
    public var idempotencyKey: String?
    /// True to get a receipt of the approval with the tokens: ``Tokens/approvalReceipt``.
    public var approvalReceipt = false
    /// Characters that the tenant allows in binding messages.
    public var alphabet = BindingMessage.Alphabet.restricted

    /// Creates a request with authorization details as JSON.
    public init(
        user: String, bindingMessage: String, scope: [String] = ["openid"], audience: String? = nil,
        authorizationDetails: [JSONValue] = [], requestedExpiry: Duration? = nil, idempotencyKey: String? = nil
    ) {
        self.user = user
        self.bindingMessage = bindingMessage
        self.scope = scope
        self.audience = audience
        self.authorizationDetails = authorizationDetails
        self.requestedExpiry = requestedExpiry
        self.idempotencyKey = idempotencyKey
    }

    /// Creates a request with typed authorization details.
    ///
    /// - Throws: `invalidAuthorizationDetails` if one does not encode to a JSON object.
    public init(
        user: String, bindingMessage: String, scope: [String] = ["openid"], audience: String? = nil,
        authorizationDetails: [any AuthorizationDetail], requestedExpiry: Duration? = nil,
        idempotencyKey: String? = nil
    ) throws(CountersignError) {
        var values: [JSONValue] = []
        for detail in authorizationDetails { values.append(try detail.json()) }
        self.init(
            user: user, bindingMessage: bindingMessage, scope: scope, audience: audience,
            authorizationDetails: values, requestedExpiry: requestedExpiry, idempotencyKey: idempotencyKey)
    }

    /// The request's parameters, after the checks that need no server.
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
        if approvalReceipt { form.append("approval_receipt", "true") }
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

    /// The header with the key.
    func fields(_ random: any RandomSource) throws(CountersignError) -> HTTPFields {
        do throws(OAuthError) {
            let key = try IdempotencyKey(idempotencyKey ?? Base64URL.encode(random.bytes(16)))
            return [IdempotencyKey.header: key.fieldValue]
        } catch {
            throw CountersignError(error)
        }
    }
}

extension CountersignError {
    /// Converts a problem found before the request is sent.
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
