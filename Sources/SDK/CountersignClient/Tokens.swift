public import JOSE
public import PlatformFoundation
public import Primitives

/// The tokens of an approved request, a login or a refresh (CIBA Core 10.1.1, OIDC Core 3.1.3.3 and 12.2). Printing
/// them shows no token.
public struct Tokens: Sendable, CustomStringConvertible, CustomReflectable {
    /// The token for calls of the API, sent as `Authorization: Bearer …`.
    public let accessToken: String
    /// Nil if the scope `openid` was not requested.
    public let idToken: IDToken?
    /// Nil unless `offline_access` was requested and allowed.
    public internal(set) var refreshToken: String?
    /// Granted scopes. They may be fewer than requested.
    public let scope: [String]
    /// Expiry of the access token. Nil means that the server did not state it.
    public let expiresAt: Date?
    /// The type of the access token: `Bearer`, in the server's spelling.
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
    /// All claims.
    public let claims: Claims
    /// The id of the person at the server (`sub`).
    public let subject: String

    /// Time when the person authenticated.
    public var authenticatedAt: Date? { claims.date("auth_time")?.date }
    /// Methods by which the person authenticated (RFC 8176).
    public var methods: [String] { claims["amr"]?.stringsValue ?? [] }
    /// The authentication context class (`acr`). Nil means that the server did not state it.
    public var contextClass: String? { claims["acr"]?.stringValue }

    public var description: String { "IDToken(sub: \(subject))" }
    public var customMirror: Mirror { Mirror(self, children: ["subject": subject]) }
}

/// A verified access token, as a resource server sees it.
public struct AccessToken: Sendable {
    /// All claims.
    public let claims: Claims
    /// The id of the user who allowed it, or of the client that got it for itself (`sub`).
    public let subject: String
    /// The client that it was issued to (`client_id`, or `azp` in Auth0's dialect).
    public let clientID: String
    /// Granted scopes. Empty if the token has none.
    public let scope: [String]
    /// The user's permissions at the API, if the API includes them in tokens.
    public let permissions: [String]
    /// The details that the user approved (RFC 9396 clause 9.1). `filter(byType:)` decodes them.
    public let authorizationDetails: [JSONValue]
    /// Expiry (`exp`). Verification accepts a token for up to 60 seconds longer, for clocks that differ.
    public let expiresAt: Date
}
