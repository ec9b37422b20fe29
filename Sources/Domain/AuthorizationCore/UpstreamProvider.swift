/// This server's registration as a client of another provider.
package struct UpstreamProvider: Sendable, Equatable {
    /// Protocol and addresses of the provider.
    package enum Dialect: Sendable, Equatable {
        /// OpenID Connect: endpoints and keys are discovered from the issuer (OIDC Discovery 4).
        case openIDConnect(issuer: EndpointURL)
        /// OAuth 2 with an endpoint of its own for the user's profile.
        case oauth2(OAuth2Endpoints)
        /// `url` serves logins, `apiURL` the API: those of github.com, or of an Enterprise Server.
        case github(url: EndpointURL, apiURL: EndpointURL)
    }

    /// This server's authentication at the token endpoint (RFC 6749 clause 2.3.1).
    package enum AuthenticationMethod: String, Sendable, CaseIterable {
        case clientSecretBasic = "client_secret_basic"
        case clientSecretPost = "client_secret_post"
    }

    /// Parts of a profile that may have another name upstream.
    package enum Attribute: String, Sendable, CaseIterable {
        case subject = "sub"
        case name
        case givenName = "given_name"
        case familyName = "family_name"
        case nickname
        case picture
        case email
        case emailVerified = "email_verified"
    }

    package var dialect: Dialect
    package var clientID: String
    /// The secret, sealed with `sealingContext(tenant:connection:)`.
    package var sealedSecret: [UInt8]
    /// Nil takes the provider's choice, or else the dialect's.
    package var authenticationMethod: AuthenticationMethod?
    package var scope: String
    /// Names that differ upstream from those of OIDC Core 5.1: `[.subject: "id"]`.
    package var attributes: [Attribute: String]

    package init(
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

    package static func sealingContext(tenant: TenantID, connection: String) -> String {
        "connection/\(tenant)/\(connection)"
    }

    /// Name of `attribute` in a profile of this provider.
    package func upstreamName(of attribute: Attribute) -> String { attributes[attribute] ?? attribute.rawValue }
}

/// The endpoints of a provider that cannot be discovered.
package struct OAuth2Endpoints: Sendable, Equatable {
    package var authorization: EndpointURL
    package var token: EndpointURL
    package var userInfo: EndpointURL
    /// A second profile endpoint that lists e-mail addresses as objects of `email`, `primary` and `verified`.
    package var emails: EndpointURL?

    package init(authorization: EndpointURL, token: EndpointURL, userInfo: EndpointURL, emails: EndpointURL? = nil) {
        self.authorization = authorization
        self.token = token
        self.userInfo = userInfo
        self.emails = emails
    }

    /// Endpoints of GitHub or of an Enterprise Server.
    package static func github(url: EndpointURL, apiURL: EndpointURL) -> OAuth2Endpoints {
        OAuth2Endpoints(
            authorization: url.appending(path: "login/oauth/authorize"),
            token: url.appending(path: "login/oauth/access_token"), userInfo: apiURL.appending(path: "user"),
            emails: apiURL.appending(path: "user/emails"))
    }
}
