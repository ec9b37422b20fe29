public import Foundation

/// A login that was begun and waits for the browser to come back. Keep it to finish after a restart, and keep it to
/// yourself: it holds the code verifier. It finishes one login, once.
public struct PendingLogin: Sendable, Codable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The page to show.
    public let url: URL
    /// Where the browser will be sent back to.
    public let redirectURI: String
    /// Comes back with the answer and tells it from a forged one (RFC 6749 clause 10.12).
    public let state: String
    /// Comes back in the ID token (OIDC Core 3.1.2.1).
    let nonce: String
    let codeVerifier: String
    let scope: [String]
    /// Seconds.
    let maxAge: Int64?

    public var description: String { "PendingLogin(redirectURI: \(redirectURI))" }
    public var customMirror: Mirror { Mirror(self, children: ["redirectURI": redirectURI]) }
}
