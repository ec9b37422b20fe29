/// `token_type` of an access token, and the scheme by which it is sent (RFC 6749 clause 7.1).
package enum TokenType: String, Sendable, CaseIterable {
    case bearer = "Bearer"
}
