public import Primitives

/// How this server is a client of another provider.
public struct UpstreamProvider: Sendable, Equatable {
    /// What the provider speaks, and where.
    public enum Dialect: Sendable, Equatable {
        /// OpenID Connect: endpoints and keys are discovered from the issuer (OIDC Discovery 4).
        case openIDConnect(issuer: EndpointURL)
        /// OAuth 2 with an endpoint of its own for the user's profile.
        case oauth2(OAuth2Endpoints)
        /// `url` is where people log in, `apiURL` where programs ask: those of github.com, or of an Enterprise Server.
        case github(url: EndpointURL, apiURL: EndpointURL)
    }

    /// How this server proves itself at the token endpoint (RFC 6749 clause 2.3.1).
    public enum AuthenticationMethod: String, Sendable, CaseIterable {
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
    }

    /// The parts of a profile that may have another name upstream.
    public enum Attribute: String, Sendable, CaseIterable {
        case subject = "sub"
        case name
        case givenName = "given_name"
        case familyName = "family_name"
        case nickname
        case picture
        case email
        case emailVerified = "email_verified"
    }

    public var dialect: Dialect
    public var clientID: String
    /// The secret, sealed with `sealingContext(tenant:connection:)`.
    public var sealedSecret: [UInt8]
    /// Nil leaves the choice to what the provider says, or else to the dialect.
    public var authenticationMethod: AuthenticationMethod?
    public var scope: String
    /// Names that differ upstream from those of OIDC Core 5.1: `[.subject: "id"]`.
    public var attributes: [Attribute: String]

    public init(
        dialect: Dialect, clientID: String, sealedSecret: [UInt8],
        authenticationMethod: AuthenticationMethod? = nil, scope: String, attributes: [Attribute: String] = [:]
    ) {
        self.dialect = dialect
        self.clientID = clientID
        self.sealedSecret = sealedSecret
        self.authenticationMethod = authenticationMethod
        self.scope = scope
        self.attributes = attributes
    }

    public static func sealingContext(tenant: TenantID, connection: String) -> String {
        "connection/\(tenant)/\(connection)"
    }

    /// What a profile of this provider calls `attribute`.
    public func upstreamName(of attribute: Attribute) -> String { attributes[attribute] ?? attribute.rawValue }
}

/// The endpoints of a provider that cannot be discovered.
public struct OAuth2Endpoints: Sendable, Equatable {
    public var authorization: EndpointURL
    public var token: EndpointURL
    public var userInfo: EndpointURL
    /// A second profile endpoint that lists e-mail addresses as objects of `email`, `primary` and `verified`.
    public var emails: EndpointURL?

    public init(
        authorization: EndpointURL, token: EndpointURL, userInfo: EndpointURL, emails: EndpointURL? = nil
    ) {
        self.authorization = authorization
        self.token = token
        self.userInfo = userInfo
        self.emails = emails
    }

    /// GitHub's, or those of an Enterprise Server.
    public static func github(url: EndpointURL, apiURL: EndpointURL) -> OAuth2Endpoints {
        OAuth2Endpoints(
            authorization: url.appending(path: "login/oauth/authorize"),
            token: url.appending(path: "login/oauth/access_token"), userInfo: apiURL.appending(path: "user"),
            emails: apiURL.appending(path: "user/emails"))
    }
}
