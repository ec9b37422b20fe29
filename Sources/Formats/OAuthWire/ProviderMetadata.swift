package import Primitives

/// Metadata of a provider (OpenID Connect Discovery 1.0 clause 3, RFC 8414, CIBA Core 4), as far as this product's
/// clients read it.
package struct ProviderMetadata: Sendable, Equatable {
    package var issuer: String
    package var jwksURI: String
    package var tokenEndpoint: String
    package var backchannelAuthenticationEndpoint: String?
    package var authorizationEndpoint: String?
    package var userinfoEndpoint: String?
    /// RFC 8414 clause 2.
    package var revocationEndpoint: String?
    /// OIDC RP-Initiated Logout 2.1.
    package var endSessionEndpoint: String?
    /// True if every authorization response names its issuer (RFC 9207 clause 3).
    package var authorizationResponseNamesIssuer: Bool

    /// Nil if a required member is missing or of another type.
    package init?(_ value: JSONValue) {
        guard let issuer = value["issuer"]?.stringValue, let jwksURI = value["jwks_uri"]?.stringValue,
            let tokenEndpoint = value["token_endpoint"]?.stringValue
        else { return nil }
        self.issuer = issuer
        self.jwksURI = jwksURI
        self.tokenEndpoint = tokenEndpoint
        backchannelAuthenticationEndpoint = value["backchannel_authentication_endpoint"]?.stringValue
        authorizationEndpoint = value["authorization_endpoint"]?.stringValue
        userinfoEndpoint = value["userinfo_endpoint"]?.stringValue
        revocationEndpoint = value["revocation_endpoint"]?.stringValue
        endSessionEndpoint = value["end_session_endpoint"]?.stringValue
        authorizationResponseNamesIssuer =
            value["authorization_response_iss_parameter_supported"]?.boolValue ?? false
    }
}
