public import Foundation
public import JOSE
public import Primitives

/// The tokens of an approved request, a login or a refresh (CIBA Core 10.1.1, OIDC Core 3.1.3.3 and 12.2). Printing
/// them shows no token.
public struct Tokens: Sendable, CustomStringConvertible, CustomReflectable {
    public let accessToken: String
    /// Nil if the scope `openid` was not requested.
    public let idToken: IDToken?
    /// Nil unless `offline_access` was requested and allowed.
    public internal(set) var refreshToken: String?
    /// Granted scopes. They may be fewer than requested.
    public let scope: [String]
    /// Expiry of the access token. Nil means that the server did not state it.
    public let expiresAt: Date?
    public let tokenType: String
    /// Approved authorization details (RFC 9396 clause 7). `filter(byType:)` decodes them.
    public let authorizationDetails: [JSONValue]
    /// Proof of the approval, as received: ``CountersignClient/approvalReceipt(in:)`` verifies it. Nil unless
    /// ``BackchannelRequest/approvalReceipt`` asked for one.
    public var approvalReceipt: String?

    public var description: String { "Tokens(scope: \(scope.joined(separator: " ")))" }
    public var customMirror: Mirror { Mirror(self, children: ["scope": scope]) }
}

/// A verified ID token (OIDC Core 2). Printing it does not show the token.
public struct IDToken: Sendable, CustomStringConvertible, CustomReflectable {
    /// The received JWT, for services that verify it themselves.
    public let encoded: String
    public let claims: Claims
    public let subject: String

    /// Time when the person authenticated.
    public var authenticatedAt: Date? { claims.date("auth_time")?.date }
    /// Methods by which the person authenticated (RFC 8176).
    public var methods: [String] { claims["amr"]?.stringsValue ?? [] }
    public var contextClass: String? { claims["acr"]?.stringValue }

    public var description: String { "IDToken(sub: \(subject))" }
    public var customMirror: Mirror { Mirror(self, children: ["subject": subject]) }
}

/// A verified access token, as a resource server sees it.
public struct AccessToken: Sendable {
    public let claims: Claims
    public let subject: String
    /// The client that it was issued to (`client_id`, or `azp` in Auth0's dialect).
    public let clientID: String
    public let scope: [String]
    /// The user's permissions at the API, if the API includes them in tokens.
    public let permissions: [String]
    public let authorizationDetails: [JSONValue]
    public let expiresAt: Date
}
