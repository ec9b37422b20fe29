package import JOSE
package import JSONSchema
package import Primitives

/// Evidence that a tenant, an API or a type of details demands of an approval, from the weakest.
package enum EvidenceDemand: String, Sendable, CaseIterable {
    /// The phone's signature covers the digest of the request.
    case signedDigest = "signed-digest"
    /// The phone's signature covers the digest, and its passkey verified the user.
    case passkey

    /// The stronger of both demands. Nil demands nothing.
    package static func strongest(_ one: EvidenceDemand?, _ other: EvidenceDemand?) -> EvidenceDemand? {
        allCases.last { $0 == one || $0 == other }
    }
}

/// An API that access tokens are for (Auth0: resource server).
package struct ResourceServer: Sendable {
    package struct Scope: Sendable, Equatable {
        package var value: String
        /// Shown to the user who decides.
        package var description: String

        package init(value: String, description: String) {
            self.value = value
            self.description = description
        }
    }

    /// Type of authorization details that the API accepts (RFC 9396).
    package struct AuthorizationDetailsType: Sendable {
        package var type: String
        package var schemaSource: JSONValue?
        /// Compiled source. Nil until compiled: then no details are accepted.
        package var schema: Result<JSONSchema, JSONSchema.Failure>?
        /// Demand for requests with such details, if it is stronger than that of the API. Nil means none.
        package var evidence: EvidenceDemand?
        /// Demand for requests with such details. Nil means none.
        package var matching: NumberMatching?
        /// Phones make a sound for requests with such details even in quiet hours.
        package var isUrgent = false

        package init(type: String, schemaSource: JSONValue?) {
            self.type = type
            self.schemaSource = schemaSource
        }
    }

    /// The claims that access tokens carry.
    package enum TokenDialect: String, Sendable, CaseIterable {
        case accessToken = "access_token"
        case accessTokenAuthz = "access_token_authz"
        case rfc9068 = "rfc9068_profile"
        case rfc9068Authz = "rfc9068_profile_authz"

        package var carriesPermissions: Bool { self == .accessTokenAuthz || self == .rfc9068Authz }
        package var isRFC9068: Bool { self == .rfc9068 || self == .rfc9068Authz }
    }

    /// Clients that may have tokens of the API for users.
    package enum UserPolicy: String, Sendable, CaseIterable {
        case allowAll = "allow_all"
        case denyAll = "deny_all"
        case requireClientGrant = "require_client_grant"
    }

    /// Clients that may have tokens of the API for themselves.
    package enum ClientPolicy: String, Sendable, CaseIterable {
        case denyAll = "deny_all"
        case requireClientGrant = "require_client_grant"
    }

    /// The audience.
    package let identifier: String
    package var name: String
    package var scopes: [Scope] = []
    package var authorizationDetailsTypes: [AuthorizationDetailsType] = []
    /// Demand for all requests to the API. Nil means none.
    package var evidence: EvidenceDemand?
    /// Access tokens carry `approval`: the id and the digest of the approved request.
    package var carriesApproval = false
    package var signingAlgorithm = JWSAlgorithm.rs256
    package var tokenDialect = TokenDialect.accessToken
    /// Default lifetime of access tokens, and that of tokens for the userinfo endpoint, in seconds.
    package static let defaultTokenLifetime = 86_400
    /// Maximum lifetime of access tokens, in seconds.
    package static let maximumTokenLifetime = 2_592_000
    /// Seconds.
    package var tokenLifetime = defaultTokenLifetime
    package var allowsOfflineAccess = false
    /// Filters scopes by the user's roles.
    package var enforcesPolicies = false
    /// `transactional-authorization-with-mfa` excludes CIBA; anything else is nil.
    package var requiresTransactionalMFA = false
    /// Skips the consent page for first-party clients.
    package var skipsFirstPartyConsent = true
    package var userPolicy = UserPolicy.allowAll
    package var clientPolicy = ClientPolicy.requireClientGrant
    /// The Management API, which every tenant has and nobody can change.
    package var isSystem = false
    /// Members without effect, stored to be returned.
    package var additional: JSONObject = [:]

    package init(identifier: String, name: String) {
        self.identifier = identifier
        self.name = name
    }
}

extension ResourceServer {
    /// The demand for a request with details of these types.
    package func evidence(for types: some Sequence<String>) -> EvidenceDemand? {
        types.reduce(evidence) { strongest, type in
            let demand = authorizationDetailsTypes.first { $0.type == type }?.evidence
            return EvidenceDemand.strongest(strongest, demand)
        }
    }
}
