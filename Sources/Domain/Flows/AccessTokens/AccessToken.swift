package import AuthorizationCore
package import JOSE
package import OAuthWire
package import Primitives

/// An access token of this server whose signature and times were checked.
package struct AccessToken: Sendable {
    package let claims: Claims
    /// Authorization that the token was issued for, and is revoked with.
    package let authorization: AuthorizationID
    package let client: ClientID
    package let scope: ScopeSet
    package let expiresAt: Timestamp
    /// Nil for a token that a client has for itself.
    package let user: UserID?
    /// Nil for a token that is not bound.
    package let constraint: SenderConstraint?

    /// `jti`: the authorization, a dot, and 96 random bits.
    static func identifier(of authorization: AuthorizationID, _ random: some RandomSource) -> String {
        "\(authorization.rawValue).\(Base64URL.encode(random.bytes(12)))"
    }

    /// `sub` of a token that a client has for itself, as Auth0 writes it.
    static func subject(of client: ClientID) -> String { client.rawValue + Client.subjectSuffix }

    /// Nil for a token of another kind, such as an ID token, whose `jti` names no authorization.
    init?(_ claims: Claims) {
        guard let identifier = claims.identifier, let dot = identifier.firstIndex(of: "."),
            let client = (claims["azp"] ?? claims["client_id"])?.stringValue, let subject = claims.subject,
            let expiresAt = claims.expires,
            let scope = try? ScopeSet(parsing: claims["scope"]?.stringValue ?? "")
        else { return nil }
        self.claims = claims
        authorization = AuthorizationID(String(identifier[..<dot]))
        self.client = ClientID(client)
        self.scope = scope
        self.expiresAt = expiresAt
        constraint = SenderConstraint(claims[SenderConstraint.claim])
        user = subject == Self.subject(of: self.client) ? nil : UserID(subject)
    }
}
