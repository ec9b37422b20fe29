/// Grant types that this server knows (RFC 6749 clause 4, CIBA Core 10.1).
package enum GrantType: String, Sendable, CaseIterable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    case clientCredentials = "client_credentials"
    case ciba = "urn:openid:params:grant-type:ciba"
}
