/// Signs with one private key. This program makes signatures by no other means.
public protocol Signer: Sendable {
    var algorithm: JWSAlgorithm { get }
    /// The public half. Its `keyID`, if any, is the `kid` of headers.
    var publicKey: JWK { get }
    /// Returns the signature in the form of RFC 7518 (for ECDSA: r and s side by side).
    func sign(_ message: [UInt8]) throws -> [UInt8]
}

/// Checks signatures.
public protocol Verifier: Sendable {
    /// False for a wrong signature, and for a key that does not fit the algorithm. Never traps.
    func verify(_ signature: [UInt8], of message: [UInt8], algorithm: JWSAlgorithm, key: JWK) -> Bool
    /// True if signatures can fit the key: its point lies on its curve, or its modulus can be one. Reading a key checks
    /// only its form. This check computes, so call it before a key is kept, not at every use.
    func isUsable(_ key: JWK) -> Bool
}
