package import JOSE
package import OAuthWire
package import Primitives

/// Application that requests tokens (RFC 6749 clause 2).
package struct Client: Sendable, Equatable {
    package enum AuthenticationMethod: String, Sendable, CaseIterable {
        case clientSecretPost = "client_secret_post"
        case clientSecretBasic = "client_secret_basic"
        /// OIDC Core 9, RFC 7523: an assertion that the client signed.
        case privateKeyJWT = "private_key_jwt"
        /// RFC 8705 clause 2.1: a certificate that an authority issued in the client's name.
        case tlsClientAuth = "tls_client_auth"
        /// RFC 8705 clause 2.2: a registered certificate.
        case selfSignedTLSClientAuth = "self_signed_tls_client_auth"
        /// Public client without a secret (RFC 6749 clause 2.1). PKCE alone proves that a code is its own.
        case none
    }

    /// Channel that notifies a user of a request.
    package enum NotificationChannel: String, Sendable, CaseIterable {
        case guardianPush = "guardian-push"
        case email
        /// Nobody is told: the client shows the person the approval page's address.
        case page

        /// True if the person is led to the approval page, and not to a phone.
        package var leadsToPage: Bool {
            switch self {
            case .guardianPush: false
            case .email, .page: true
            }
        }
    }

    /// End of `sub` in tokens that clients have for themselves. No user's id ends in it (RFC 9700 clause 4.15.1).
    package static let subjectSuffix = "@clients"

    package let id: ClientID
    package var name: String
    /// SHA-256 of each secret that is valid now; more than one while a secret is rotated.
    package var secretHashes: [[UInt8]]
    /// A client that is registered for one of the two secret methods may use either.
    package var authenticationMethod = AuthenticationMethod.clientSecretPost
    /// At most `credentialLimit`.
    package var credentials: [ClientCredential] = []
    /// Registered credentials that the method does not use.
    package var unusedCredentials: [ClientCredential] = []
    /// The client's own key document (RFC 7591 clause 2), in addition to `credentials`.
    package var jwks: JWKSet?
    /// Address at which the client publishes its keys (RFC 7591 clause 2).
    package var jwksURI: EndpointURL?
    /// Binds access tokens, and a public client's refresh tokens, to the certificate of their request (RFC 8705 clause
    /// 3).
    package var bindsTokensToCertificate = false
    package var grantTypes: Set<GrantType> = []
    package var isFirstParty = true
    /// Channels in the order they are tried. Nil means push alone.
    package var notificationChannels: [NotificationChannel]?
    /// Allows `requested_expiry` over 300 seconds with push if e-mail is not enabled.
    package var allowsLongPush = false
    /// Demand for all requests of the client. Nil means none.
    package var matching: NumberMatching?
    /// Grants for APIs, by name.
    package var grants: [ClientGrant] = []
    /// Limits requests for users to the client's grants, even at APIs that allow every client.
    package var isLimitedToGrants = false
    package var idTokenAlgorithm = JWSAlgorithm.rs256
    /// Seconds.
    package var idTokenLifetime = 36_000
    /// Addresses that may receive codes (Auth0: callbacks).
    package var redirectURIs: [RedirectURI] = []
    /// Addresses to which the browser may return after a logout, each an exact URL.
    package var allowedLogoutURLs: [String] = []
    /// Origins of the client's scripts. Auth0 has two lists for two purposes, one of which this server does not have.
    package var webOrigins: [WebOrigin] = []
    package var allowedOrigins: [WebOrigin] = []
    package var mobile: MobileApps?
    package var refreshTokens = RefreshTokenPolicy()
    /// Refuses authorization requests that were not pushed (RFC 9126 clause 5).
    package var requiresPushedAuthorizationRequests = false
    /// Refuses a confidential client's authorization requests without PKCE (RFC 9700 clause 2.1.1).
    package var requiresProofKey = false
    /// URL that is notified when a session ends (OIDC Back-Channel Logout 1.0).
    package var backchannelLogoutURL: String?
    /// Shown on the consent page.
    package var logoURL: String?
    /// `https` URL that begins a login initiated by a third party (OIDC Core 4).
    package var initiateLoginURL: String?
    /// Accepted and stored for compatibility; everything here is conformant.
    package var oidcConformant = true
    /// Type in Auth0's console, such as `native`. Without effect here.
    package var applicationType: String?
    /// Members without effect, stored to be returned.
    package var additional: JSONObject = [:]

    /// True if the client authenticates with the certificate of its connection.
    package var usesCertificate: Bool {
        authenticationMethod == .tlsClientAuth || authenticationMethod == .selfSignedTLSClientAuth
    }

    /// True if people decide the client's requests on the approval page alone, where no device's key has to sign.
    package var takesSessionDecisions: Bool {
        notificationChannels.map { !$0.isEmpty && $0.allSatisfy(\.leadsToPage) } ?? false
    }

    /// True if the client does not authenticate (RFC 6749 clause 2.1).
    package var isPublic: Bool { authenticationMethod == .none }

    /// Origins whose scripts may read answers to the client. As with Auth0, they include the pages that receive codes.
    package var scriptOrigins: Set<WebOrigin> {
        Set(webOrigins + allowedOrigins + redirectURIs.compactMap { WebOrigin(of: $0) })
    }

    /// Always true for public clients: nothing else proves that a code is theirs (RFC 9700 clause 2.1.1).
    package func needsProofKey(in tenant: Tenant) -> Bool {
        isPublic || requiresProofKey || tenant.settings.requiresProofKey
    }

    package var usesSecret: Bool {
        authenticationMethod == .clientSecretPost || authenticationMethod == .clientSecretBasic
    }

    package init(id: ClientID, name: String, secretHashes: [[UInt8]]) {
        self.id = id
        self.name = name
        self.secretHashes = secretHashes
    }
}
