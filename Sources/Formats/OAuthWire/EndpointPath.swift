/// Paths of the server's endpoints. Routes, metadata, audiences and clients take them from here.
package enum EndpointPath: String, Sendable, CaseIterable {
    /// RFC 6749 clause 3.1.
    case authorization = "/authorize"
    /// RFC 6749 clause 3.2.
    case token = "/oauth/token"
    /// CIBA Core 7.
    case backchannelAuthentication = "/bc-authorize"
    /// RFC 9126.
    case pushedAuthorization = "/oauth/par"
    /// RFC 7009.
    case revocation = "/oauth/revoke"
    /// RFC 7662.
    case introspection = "/oauth/introspect"
    /// Decisions, whose receipts are below it.
    case approvals = "/approvals"
    /// OIDC Core 5.3.
    case userInfo = "/userinfo"
    /// OIDC RP-Initiated Logout 1.0.
    case endSession = "/oidc/logout"
    /// Auth0's logout without confirmation.
    case logOutAtOnce = "/v2/logout"
    /// Every upstream provider sends browsers back to Auth0's path, so that registrations at providers stay valid.
    case upstreamCallback = "/login/callback"
    /// OIDC Discovery 1.0.
    case openIDConfiguration = "/.well-known/openid-configuration"
    /// RFC 8414.
    case authorizationServerMetadata = "/.well-known/oauth-authorization-server"
    /// RFC 7517.
    case keySet = "/.well-known/jwks.json"
    case appleAssociation = "/.well-known/apple-app-site-association"
    /// Systems before iOS 9.3 read it, and Auth0 documents it.
    case appleAssociationAtRoot = "/apple-app-site-association"
    case assetLinks = "/.well-known/assetlinks.json"
    case openAPI = "/openapi.json"
    /// Management API, whose operations are below it.
    case management = "/api/v2"
    case welcome = "/"
    /// The web app with which people approve. Its files are below it.
    case approver = "/approver"
    case icon = "/favicon.ico"
    case health = "/healthz"
    case readiness = "/readyz"
    /// Served on a port of its own.
    case metrics = "/metrics"

    /// URL of the endpoint below an issuer, which ends in a slash.
    package func url(below issuer: String) -> String { issuer + rawValue.dropFirst() }
}

package enum HostedPath: String, Sendable, CaseIterable {
    case logIn = "/u/login"
    case signUp = "/u/signup"
    case forgotPassword = "/u/forgot-password"
    case resetPassword = "/u/reset-password"
    case verifyEmail = "/u/email-verification"
    case selectAccount = "/u/account"
    case enrollDevice = "/u/enroll"
    /// Guardian's path.
    case enrollByTicket = "/guardian/enroll"
    /// Leads to the page at Guardian's path.
    case enrollShortly = "/enroll"
    case push = "/u/mfa-push"
    case code = "/u/mfa-code"
    case noFactor = "/u/mfa-none"
    case recoveryCode = "/u/mfa-recovery"
    /// Offers recovery codes after a first phone.
    case offerRecoveryCodes = "/u/recovery-codes"
    case consent = "/u/consent"
    case connection = "/u/connection"
    case logOut = "/u/logout"
    case approve = "/u/approve"

    /// URL of the page below an issuer, which ends in a slash.
    package func url(below issuer: String) -> String { issuer + rawValue.dropFirst() }

    /// Parameter of the approval page's address that has the request's id.
    package static let request = "id"

    /// URL of the page to decide a request on. `request` is its id, whose characters need no encoding.
    package static func approval(of request: String, below issuer: String) -> String {
        "\(approve.url(below: issuer))?\(Self.request)=\(request)"
    }
}

/// Paths of the pages about a person's own account.
package enum AccountPath: String, Sendable, CaseIterable {
    case start = "/account"
    case phones = "/account/phones"
    case phone = "/account/phones/phone"
    case lostPhones = "/account/phones/lost"
    case addPhone = "/account/phones/add"
    case passkeys = "/account/passkeys"
    case recoveryCodes = "/account/recovery-codes"
    case sessions = "/account/sessions"
    case applications = "/account/applications"
    case history = "/account/history"
    case receipt = "/account/history/receipt"
    case password = "/account/password"
    case preferences = "/account/preferences"
    case export = "/account/export"
    case deletion = "/account/deletion"

    /// URL of the page below an issuer, which ends in a slash.
    package func url(below issuer: String) -> String { issuer + rawValue.dropFirst() }
}
