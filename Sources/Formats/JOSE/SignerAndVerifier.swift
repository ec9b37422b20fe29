/// Holds one private key and signs with it. The only way anything of ours makes a signature.
public protocol Signer: Sendable {
    var algorithm: JWSAlgorithm { get }
    /// The public half; its `keyID` is the `kid` that goes into headers, where it has one.
    var publicKey: JWK { get }
    /// Returns the signature in the form of RFC 7518 (for ECDSA: r and s side by side).
    func sign(_ message: [UInt8]) throws -> [UInt8]
}

/// Checks signatures.
public protocol Verifier: Sendable {
    /// False for a signature that does not fit; a key unfit for the algorithm is also false, never a trap.
    func verify(_ signature: [UInt8], of message: [UInt8], algorithm: JWSAlgorithm, key: JWK) -> Bool
    /// True if signatures can fit the key: its point lies on its curve, or its modulus can be one. Reading a key checks
    /// only its form. This check computes, so call it before a key is kept, not at every use.
    func isUsable(_ key: JWK) -> Bool
}
