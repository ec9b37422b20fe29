package import Primitives

/// A code challenge of the method `S256` (RFC 7636 clause 4.2): base64url of a SHA-256.
package struct CodeChallenge: Sendable, Hashable, CustomStringConvertible {
    /// The only method. With `plain`, a reader of the authorization request could redeem its code.
    package static let method = "S256"

    private let digest: [UInt8]

    /// Reads 43 characters of base64url.
    package init(parsing text: String) throws(OAuthError) {
        guard text.utf8.count == 43, let digest = Base64URL.decode(text), digest.count == 32 else {
            throw OAuthError(
                .invalidRequest, "code_challenge must be the base64url of a SHA-256: 43 characters without padding")
        }
        self.digest = digest
    }

    package init(of verifier: String, _ hashing: any Hashing) { digest = hashing.sha256(Array(verifier.utf8)) }

    /// RFC 7636 clause 4.6. The verifier is compared as received, in any alphabet.
    package func matches(_ verifier: String, _ hashing: any Hashing) -> Bool {
        constantTimeEquals(digest, hashing.sha256(Array(verifier.utf8)))
    }

    package var description: String { Base64URL.encode(digest) }
}
