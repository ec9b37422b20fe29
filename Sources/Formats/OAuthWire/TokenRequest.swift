/// A request to the token endpoint, by grant (RFC 6749 clause 4, CIBA Core 10.1).
public enum TokenRequest: Sendable {
    case backchannel(authReqID: String)

    public var grantType: GrantType {
        switch self {
        case .backchannel: .ciba
        }
    }

    public init(parsing parameters: Parameters) throws(OAuthError) {
        let name = try parameters.required("grant_type")
        switch GrantType(rawValue: name) {
        case .ciba: self = .backchannel(authReqID: try parameters.required("auth_req_id"))
        case nil:
            throw OAuthError(
                .unsupportedGrantType, en: "The grant type \(Parameters.shown(name)) is not supported",
                fr: "Le type d'octroi \(Parameters.shown(name)) n'est pas pris en charge")
        }
    }
}
