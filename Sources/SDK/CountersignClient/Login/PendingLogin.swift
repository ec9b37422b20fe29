public import PlatformFoundation

/// A started login that waits for the browser to return. Store it to finish after a restart, and keep it secret: it
/// contains the code verifier. It finishes one login.
public struct PendingLogin: Sendable, Codable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The page to show.
    public let url: URL
    /// The URI that the browser will return to.
    public let redirectURI: String
    /// Returned with the response, to distinguish it from a forged one (RFC 6749 clause 10.12).
    public let state: String
    /// Returned in the ID token (OIDC Core 3.1.2.1).
    let nonce: String
    let codeVerifier: String
    let scope: [String]
    /// Maximum time since authentication, in seconds.
    let maxAge: Int64?

    public var description: String { "PendingLogin(redirectURI: \(redirectURI))" }
    public var customMirror: Mirror { Mirror(self, children: ["redirectURI": redirectURI]) }
}
