public import Primitives

/// A place where users prove who they are (Auth0: connection).
public struct LoginConnection: Sendable, Equatable {
    /// The name of the database where nothing else was configured, as Auth0 calls it.
    public static let defaultDatabaseName = "Username-Password-Authentication"

    public enum Kind: Sendable, Equatable {
        /// Users with a password, kept here.
        case database(allowsSignUp: Bool)
        /// An OpenID Connect provider.
        case openIDConnect(UpstreamProvider)
        /// An OAuth 2 provider with an endpoint of its own for the user's profile.
        case oauth2(UpstreamProvider)
    }

    /// What `connection` in a request names. For upstream ones also the first part of `sub`.
    public let name: String
    /// Shown on the log-in page.
    public var displayName: String
    public var kind: Kind
    /// Clients it may be used for; nil is all of them.
    public var enabledClients: Set<ClientID>?

    public init(name: String, displayName: String, kind: Kind, enabledClients: Set<ClientID>? = nil) {
        self.name = name
        self.displayName = displayName
        self.kind = kind
        self.enabledClients = enabledClients
    }

    public static let defaultDatabase = LoginConnection(
        name: defaultDatabaseName, displayName: "E-mail", kind: .database(allowsSignUp: true))

    public func isEnabled(for client: ClientID) -> Bool { enabledClients?.contains(client) ?? true }

    public var isDatabase: Bool { if case .database = kind { true } else { false } }

    public var upstream: UpstreamProvider? {
        switch kind {
        case .database: nil
        case .openIDConnect(let provider), .oauth2(let provider): provider
        }
    }
}

/// How this server is a client of another provider.
public struct UpstreamProvider: Sendable, Equatable {
    /// For OpenID Connect: endpoints and keys are discovered from it.
    public var issuer: String?
    public var authorizationURL: String?
    public var tokenURL: String?
    public var userInfoURL: String?
    /// A second profile endpoint that lists e-mail addresses, as GitHub's `/user/emails`.
    public var emailsURL: String?
    public var clientID: String
    /// Sealed with `UpstreamProvider.sealingContext(tenant:connection:)`.
    public var sealedSecret: [UInt8]
    public var scope: String
    /// Names of upstream claims by the name that they have here: `["sub": "id", "picture": "avatar_url"]`.
    public var claims: [String: String]

    public init(clientID: String, sealedSecret: [UInt8], scope: String, claims: [String: String]) {
        self.clientID = clientID
        self.sealedSecret = sealedSecret
        self.scope = scope
        self.claims = claims
    }

    public static func sealingContext(tenant: TenantID, connection: String) -> String {
        "connection/\(tenant)/\(connection)"
    }
}
