package import JOSE
package import OAuthWire
package import Primitives

/// An application that asks (RFC 6749 clause 2).
package struct Client: Sendable, Equatable {
    package enum AuthenticationMethod: String, Sendable, CaseIterable {
        case clientSecretPost = "client_secret_post"
        case clientSecretBasic = "client_secret_basic"
        /// OIDC Core 9, RFC 7523: an assertion that the client signed.
        case privateKeyJWT = "private_key_jwt"
        /// RFC 8705 clause 2.1: a certificate of an authority that names the client.
        case tlsClientAuth = "tls_client_auth"
        /// RFC 8705 clause 2.2: a certificate that is registered itself.
        case selfSignedTLSClientAuth = "self_signed_tls_client_auth"
        /// A public client (RFC 6749 clause 2.1): it has no secret, and proves by PKCE alone that a code is its own.
        case none
    }

    /// How a user can be told of a request.
    package enum NotificationChannel: String, Sendable, CaseIterable {
        case guardianPush = "guardian-push"
        case email
    }

    /// Ends the `sub` of tokens that clients have for themselves, and no user's id (RFC 9700 clause 4.15.1).
    package static let subjectSuffix = "@clients"

    package let id: ClientID
    package var name: String
    /// SHA-256 of each secret that is valid now; more than one while a secret is rotated.
    package var secretHashes: [[UInt8]]
    /// Either of the two secret methods proves a client that is registered for one of them.
    package var authenticationMethod = AuthenticationMethod.clientSecretPost
    /// At most `credentialLimit`.
    package var credentials: [ClientCredential] = []
    /// Credentials that are registered, and that the method does not use.
    package var unusedCredentials: [ClientCredential] = []
    /// Keys as the client's own document (RFC 7591 clause 2), beside `credentials`.
    package var jwks: JWKSet?
    /// Address at which the client publishes its keys (RFC 7591 clause 2).
    package var jwksURI: EndpointURL?
    /// Access tokens are of use with the certificate alone that they were asked for with (RFC 8705 clause 3); so are
    /// the refresh tokens of a public client.
    package var bindsTokensToCertificate = false
    package var grantTypes: Set<GrantType> = []
    package var isFirstParty = true
    /// In the order they are tried; nil means push alone.
    package var notificationChannels: [NotificationChannel]?
    /// Allows `requested_expiry` over 300 seconds with push where email is not enabled.
    package var allowsLongPush = false
    /// Grants for APIs, by name.
    package var grants: [ClientGrant] = []
    /// Limits requests for users to the client's grants, also at APIs that allow every client.
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
    /// Is told of the end of sessions (OIDC Back-Channel Logout 1.0).
    package var backchannelLogoutURL: String?
    /// Shown on the consent page.
    package var logoURL: String?
    /// The `https` URL that begins a login which somebody else asks for (OIDC Core 4).
    package var initiateLoginURL: String?
    /// Accepted and stored for compatibility; everything here is conformant.
    package var oidcConformant = true
    /// Type in Auth0's console, such as `native`; nothing here depends on it.
    package var applicationType: String?
    /// Members that nothing here depends on, stored to be returned.
    package var additional: JSONObject = [:]

    /// True if the client authenticates with the certificate of its connection.
    package var usesCertificate: Bool {
        authenticationMethod == .tlsClientAuth || authenticationMethod == .selfSignedTLSClientAuth
    }

    /// A public client proves itself by nothing (RFC 6749 clause 2.1).
    package var isPublic: Bool { authenticationMethod == .none }

    /// Origins whose scripts may read answers to the client. As with Auth0, the pages that receive codes are among
    /// them.
    package var scriptOrigins: Set<WebOrigin> {
        Set(webOrigins + allowedOrigins + redirectURIs.compactMap { WebOrigin(of: $0) })
    }

    /// A public client has nothing else that proves a code its own (RFC 9700 clause 2.1.1).
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
