public import JOSE
public import JSONSchema
public import Primitives

/// An API that access tokens are for (Auth0: resource server).
public struct ResourceServer: Sendable {
    public struct Scope: Sendable, Equatable {
        public var value: String
        /// Shown to the person who decides.
        public var description: String

        public init(value: String, description: String) {
            self.value = value
            self.description = description
        }
    }

    /// A type of authorization detail that the API understands (RFC 9396).
    public struct AuthorizationDetailsType: Sendable {
        public var type: String
        public var schemaSource: JSONValue?
        /// The source compiled; nil until somebody did. Details are never accepted without it.
        public var schema: Result<JSONSchema, JSONSchema.Failure>?

        public init(type: String, schemaSource: JSONValue?) {
            self.type = type
            self.schemaSource = schemaSource
        }
    }

    /// The claims that access tokens carry.
    public enum TokenDialect: String, Sendable, CaseIterable {
        case accessToken = "access_token"
        case accessTokenAuthz = "access_token_authz"
        case rfc9068 = "rfc9068_profile"
        case rfc9068Authz = "rfc9068_profile_authz"

        public var carriesPermissions: Bool { self == .accessTokenAuthz || self == .rfc9068Authz }
        public var isRFC9068: Bool { self == .rfc9068 || self == .rfc9068Authz }
    }

    /// Which clients may have tokens of the API in users' names.
    public enum UserPolicy: String, Sendable, CaseIterable {
        case allowAll = "allow_all"
        case denyAll = "deny_all"
        case requireClientGrant = "require_client_grant"
    }

    /// Which clients may have tokens of the API for themselves.
    public enum ClientPolicy: String, Sendable, CaseIterable {
        case denyAll = "deny_all"
        case requireClientGrant = "require_client_grant"
    }

    /// The audience.
    public let identifier: String
    public var name: String
    public var scopes: [Scope] = []
    public var authorizationDetailsTypes: [AuthorizationDetailsType] = []
    public var signingAlgorithm = JWSAlgorithm.rs256
    public var tokenDialect = TokenDialect.accessToken
    /// Seconds that access tokens live where nothing else was configured, and those for the userinfo endpoint.
    public static let defaultTokenLifetime = 86_400
    /// Seconds that access tokens may be made to live at most.
    public static let maximumTokenLifetime = 2_592_000
    /// Seconds.
    public var tokenLifetime = defaultTokenLifetime
    public var allowsOfflineAccess = false
    /// Filters scopes by what the user's roles permit.
    public var enforcesPolicies = false
    /// `transactional-authorization-with-mfa` excludes CIBA; anything else is nil.
    public var requiresTransactionalMFA = false
    /// Lets first-party clients go without the user's consent in the browser.
    public var skipsFirstPartyConsent = true
    public var userPolicy = UserPolicy.allowAll
    public var clientPolicy = ClientPolicy.requireClientGrant
    /// The Management API, which every tenant has and nobody can change.
    public var isSystem = false
    /// Members that nothing here depends on, stored to be returned.
    public var additional: JSONObject = [:]

    public init(identifier: String, name: String) {
        self.identifier = identifier
        self.name = name
    }
}

/// A set of permissions that users can have.
public struct Role: Sendable, Equatable {
    public struct Permission: Sendable, Hashable {
        /// The identifier of the API.
        public var resourceServer: String
        public var scope: String

        public init(resourceServer: String, scope: String) {
            self.resourceServer = resourceServer
            self.scope = scope
        }
    }

    public let id: RoleID
    public var name: String
    public var description: String
    public var permissions: Set<Permission>

    public init(id: RoleID, name: String, description: String, permissions: Set<Permission>) {
        self.id = id
        self.name = name
        self.description = description
        self.permissions = permissions
    }
}
