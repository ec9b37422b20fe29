public import Primitives

/// The S256 challenge of a code verifier (RFC 7636 clause 4.2): what a client shows when it asks for a code, so that
/// only who knows the verifier can redeem it. There is no `plain`: it protects nothing once the request is seen
/// (RFC 9700 clause 2.1.1).
public struct CodeChallenge: Sendable, Equatable {
    /// The value of `code_challenge_method`.
    public static let method = "S256"

    /// 43 characters of base64url.
    public let text: String

    /// Nil for anything but the base64url form of 32 bytes.
    public init?(parsing text: String) {
        guard text.utf8.count == 43, Base64URL.decode(text)?.count == 32 else { return nil }
        self.text = text
    }

    public init(of verifier: CodeVerifier, hashing: some Hashing) {
        text = Base64URL.encode(hashing.sha256(Array(verifier.text.utf8)))
    }

    /// Whether this is the challenge of `verifier`, the parameter's bytes as they came: what a verifier should look
    /// like is the client's affair. Takes the same time wherever the first difference is.
    public func matches(verifier: [UInt8], hashing: some Hashing) -> Bool {
        constantTimeEquals(Array(text.utf8), Base64URL.encodedBytes(hashing.sha256(verifier)))
    }
}
