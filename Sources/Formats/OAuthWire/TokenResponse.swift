package import Primitives

/// Answer of the token endpoint (RFC 6749 clause 5.1, OIDC Core 3.1.3.3, RFC 9396 clause 7).
package struct TokenResponse: Sendable, Equatable {
    package var accessToken: String
    package var tokenType: String
    /// Seconds.
    package var expiresIn: Int
    package var scope: String?
    package var idToken: String?
    package var refreshToken: String?
    package var authorizationDetails: JSONValue?
    /// Receipt of the approval, if the request asked for it.
    package var approvalReceipt: String?

    package init(accessToken: String, type: TokenType = .bearer, expiresIn: Int) {
        self.accessToken = accessToken
        tokenType = type.rawValue
        self.expiresIn = expiresIn
    }

    /// Nil if a required member is missing or of another type.
    package init?(_ value: JSONValue) {
        guard let accessToken = value["access_token"]?.stringValue, let type = value["token_type"]?.stringValue else {
            return nil
        }
        self.init(accessToken: accessToken, expiresIn: value["expires_in"]?.intValue ?? 0)
        tokenType = type
        scope = value["scope"]?.stringValue
        idToken = value["id_token"]?.stringValue
        refreshToken = value["refresh_token"]?.stringValue
        authorizationDetails = value["authorization_details"]
        approvalReceipt = value["approval_receipt"]?.stringValue
    }

    package var bytes: [UInt8] {
        JSONWriter.object(capacity: accessToken.utf8.count + (idToken?.utf8.count ?? 0) + 256) { writer in
            writer.member("access_token", accessToken)
            writer.member("id_token", ifPresent: idToken)
            writer.member("refresh_token", ifPresent: refreshToken)
            writer.member("scope", ifPresent: scope)
            writer.member("expires_in", expiresIn)
            writer.member("token_type", tokenType)
            if let authorizationDetails { writer.member("authorization_details", authorizationDetails) }
            writer.member("approval_receipt", ifPresent: approvalReceipt)
        }
    }
}
