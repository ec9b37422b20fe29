/// Checks signatures.
public protocol Verifier: Sendable {
    /// False for a wrong signature, and for a key that does not fit the algorithm. Never traps.
    func verify(_ signature: [UInt8], of message: [UInt8], algorithm: JWSAlgorithm, key: JWK) -> Bool
    /// True if signatures can fit the key: its point lies on its curve, or its modulus can be one. Reading a key checks
    /// only its form. This check computes, so call it before a key is kept, not at every use.
    func isUsable(_ key: JWK) -> Bool
}
