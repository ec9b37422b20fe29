public import Foundation
public import JOSE
import OAuthWire
public import Primitives

/// What an approved request, a login or a refresh brings (CIBA Core 10.1.1, OIDC Core 3.1.3.3 and 12.2). Printing it
/// shows no token.
public struct Tokens: Sendable, CustomStringConvertible, CustomReflectable {
    public let accessToken: String
    /// Nil where `openid` was not asked for.
    public let idToken: IDToken?
    /// Only where `offline_access` was asked for and is allowed.
    public internal(set) var refreshToken: String?
    /// What was granted, which may be less than was asked for.
    public let scope: [String]
    /// When the access token ends; nil where the server did not say.
    public let expiresAt: Date?
    public let tokenType: String
    /// What the person approved (RFC 9396 clause 7); `filter(byType:)` decodes them.
    public let authorizationDetails: [JSONValue]

    public var description: String { "Tokens(scope: \(scope.joined(separator: " ")))" }
    public var customMirror: Mirror { Mirror(self, children: ["scope": scope]) }
}

/// A verified ID token (OIDC Core 2). Printing it does not show the token itself.
public struct IDToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// The token as it came, for services that verify it themselves.
    public let encoded: String
    public let claims: Claims
    public let subject: String

    /// When the person authenticated.
    public var authenticatedAt: Date? { claims.date("auth_time")?.date }
    /// How the person authenticated (RFC 8176).
    public var methods: [String] { claims["amr"]?.stringsValue ?? [] }
    public var contextClass: String? { claims["acr"]?.stringValue }

    public var description: String { "IDToken(sub: \(subject))" }
    public var customMirror: Mirror { Mirror(self, children: ["subject": subject]) }
}

/// A verified access token, as a resource server sees it.
public struct AccessToken: Sendable {
    public let claims: Claims
    public let subject: String
    /// Which client it was issued to (`client_id`, or `azp` in the Auth0 dialect).
    public let clientID: String
    public let scope: [String]
    /// What the user may do there, where the API asks for it in tokens.
    public let permissions: [String]
    public let authorizationDetails: [JSONValue]
    public let expiresAt: Date
}
