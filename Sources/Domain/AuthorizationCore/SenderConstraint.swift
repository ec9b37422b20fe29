package import OAuthWire
package import Primitives

/// Proof of the sender that a token needs. Without one, whoever has the token may use it (RFC 6750).
///
/// A key of the client's (RFC 9449) would be one more case: the compiler then asks for its member of `cnf`, its token type
/// and its stored form, and `Authenticated.proven` gets a second element.
package enum SenderConstraint: Sendable, Hashable {
    /// A connection with the certificate of this SHA-256 (RFC 8705 clause 3).
    case certificate([UInt8])

    /// Claim of a token's binding (RFC 7800).
    package static let claim = "cnf"
    private static let certificateMember = "x5t#S256"

    /// Reads the claim. Nil for a token that is not bound.
    package init?(_ confirmation: JSONValue?) {
        guard let text = confirmation?[Self.certificateMember]?.stringValue, let hash = Base64URL.decode(text) else {
            return nil
        }
        self = .certificate(hash)
    }

    package var confirmation: JSONValue {
        switch self {
        case .certificate(let hash): .object([Self.certificateMember: .string(Base64URL.encode(hash))])
        }
    }

    /// Scheme and `token_type` of a token (RFC 6749 clause 7.1). A certificate's is a bearer token at the HTTP layer.
    fileprivate var tokenType: TokenType {
        switch self {
        case .certificate: .bearer
        }
    }
}

extension SenderConstraint? {
    package var tokenType: TokenType { self?.tokenType ?? .bearer }

    /// True if the proofs of a request are enough.
    package func isMet(by proven: [SenderConstraint]) -> Bool { map(proven.contains) ?? true }
}
