import Primitives

/// A request to the token endpoint, by grant (RFC 6749 clause 4, CIBA Core 10.1).
package enum TokenRequest: Sendable {
    case backchannel(authReqID: String)
    case authorizationCode(AuthorizationCodeGrant)
    case refreshToken(RefreshTokenGrant)
    case clientCredentials(ClientCredentialsGrant)

    package var grantType: GrantType {
        switch self {
        case .backchannel: .ciba
        case .authorizationCode: .authorizationCode
        case .refreshToken: .refreshToken
        case .clientCredentials: .clientCredentials
        }
    }

    package init(parsing parameters: Parameters) throws(OAuthError) {
        let name = try parameters.required("grant_type")
        switch GrantType(rawValue: name) {
        case .ciba: self = .backchannel(authReqID: try Self.authReqID(parameters))
        case .authorizationCode:
            self = .authorizationCode(
                AuthorizationCodeGrant(
                    code: try parameters.required("code"), redirectURI: parameters["redirect_uri"],
                    codeVerifier: parameters["code_verifier"], audience: parameters.audience))
        case .refreshToken:
            self = .refreshToken(
                RefreshTokenGrant(
                    token: try parameters.required("refresh_token"), scope: try Self.scope(parameters),
                    audience: parameters.audience))
        case .clientCredentials:
            self = .clientCredentials(
                ClientCredentialsGrant(audience: parameters.audience, scope: try Self.scope(parameters)))
        case nil:
            let advice: ErrorDescription = Self.intended(name).map { "; did you mean \($0)?" } ?? ""
            throw OAuthError(.unsupportedGrantType, "The grant type \(name) is not supported\(advice)")
        }
    }

    /// Grant type of a misspelt name, or of one without its namespace, as `ciba`.
    private static func intended(_ name: String) -> String? {
        let known = GrantType.allCases.map(\.rawValue)
        return known.first { $0.split(separator: ":").last.map(String.init) == name }
            ?? Spelling.nearest(to: name, in: known)
    }

    /// CIBA Core 10.1.
    package static func authReqID(_ parameters: Parameters) throws(OAuthError) -> String {
        try parameters.required("auth_req_id")
    }

    private static func scope(_ parameters: Parameters) throws(OAuthError) -> ScopeSet? {
        guard let text = parameters["scope"] else { return nil }
        return try ScopeSet(parsing: text)
    }
}

/// RFC 6749 clause 4.1.3 and RFC 7636 clause 4.5.
package struct AuthorizationCodeGrant: Sendable, Equatable {
    package let code: String
    /// Must repeat the authorization request's redirect URI, if any.
    package let redirectURI: String?
    /// Nil if the authorization request had no challenge.
    package let codeVerifier: String?
    /// Must be the granted audience if named again (RFC 8707 clause 2.2).
    package let audience: String?
}

/// RFC 6749 clause 6.
package struct RefreshTokenGrant: Sendable, Equatable {
    package let token: String
    /// Narrows the granted scope.
    package let scope: ScopeSet?
    package let audience: String?
}

/// RFC 6749 clause 4.4.
package struct ClientCredentialsGrant: Sendable, Equatable {
    package let audience: String?
    package let scope: ScopeSet?
}
