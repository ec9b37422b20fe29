public import Primitives

/// What a provider says of itself (OpenID Connect Discovery 1.0 clause 3, RFC 8414, CIBA Core 4), as far as a client
/// of this product reads it.
public struct ProviderMetadata: Sendable, Equatable {
    public var issuer: String
    public var jwksURI: String
    public var tokenEndpoint: String
    public var backchannelAuthenticationEndpoint: String?
    public var authorizationEndpoint: String?
    public var userinfoEndpoint: String?
    /// RFC 8414 clause 2.
    public var revocationEndpoint: String?
    /// OIDC RP-Initiated Logout 2.1.
    public var endSessionEndpoint: String?
    /// Whether every authorization response says whose it is (RFC 9207 clause 3).
    public var authorizationResponseNamesIssuer: Bool

    /// Nil where a required member is missing or of another type.
    public init?(_ value: JSONValue) {
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
