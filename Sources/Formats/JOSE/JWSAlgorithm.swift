public import Primitives

/// Signature algorithms of RFC 7518 clause 3.1 and RFC 8037 that this product supports. `none` and the HMAC family are
/// not representable.
public enum JWSAlgorithm: String, Sendable, CaseIterable, Hashable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case es256 = "ES256"
    case es384 = "ES384"
    case edDSA = "EdDSA"

    /// Reads `alg`. RFC 9864 names EdDSA with Ed25519 `Ed25519`, too.
    public init?(name: String) {
        guard let known = Self(rawValue: name) ?? (name == "Ed25519" ? .edDSA : nil) else { return nil }
        self = known
    }

    /// The key type (`kty`) that the algorithm needs.
    public var keyType: JWK.KeyType {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384: .rsa
        case .es256, .es384: .ec
        case .edDSA: .okp
        }
    }

    /// Hash of the signature and of `at_hash` (OIDC Core 3.1.3.6). EdDSA (Ed25519) uses SHA-512.
    public var hash: HashAlgorithm {
        switch self {
        case .rs256, .ps256, .es256: .sha256
        case .rs384, .ps384, .es384: .sha384
        case .rs512, .edDSA: .sha512
        }
    }
}
