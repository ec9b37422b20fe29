/// Signs with one private key. This program makes signatures by no other means.
public protocol Signer: Sendable {
    var algorithm: JWSAlgorithm { get }
    /// The public half. Its `keyID`, if any, is the `kid` of headers.
    var publicKey: JWK { get }
    /// Returns the signature in the form of RFC 7518 (for ECDSA: r and s side by side).
    func sign(_ message: [UInt8]) throws -> [UInt8]
}
