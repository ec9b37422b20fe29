/// Grant types that this server knows (RFC 6749 clause 4, CIBA Core 10.1).
public enum GrantType: String, Sendable, CaseIterable {
    case ciba = "urn:openid:params:grant-type:ciba"
}
