package import JOSE
package import Primitives

/// Signs with one private key in OpenSSL's memory. Safe to use from several threads at once.
package final class OpenSSLSigner: Signer {
    package let algorithm: JWSAlgorithm
    package let publicKey: JWK
    let key: KeyHandle
    private let context: SignatureContext

    /// Generates a new key.
    /// - Parameter rsaBits: Modulus of an RSA key, `2048...8192` bits.
    package static func generate(
        algorithm: JWSAlgorithm, keyID: String? = nil, rsaBits: Int = 2048
    ) throws(OpenSSLFailure) -> OpenSSLSigner {
        try OpenSSLSigner(KeyHandle(generating: algorithm, rsaBits: rsaBits), algorithm: algorithm, keyID: keyID)
    }

    /// Reads an unencrypted PrivateKeyInfo (RFC 5958, PKCS #8). Throws if the key does not fit `algorithm`, is an RSA
    /// key outside `2048...8192` bits, or has halves that do not match.
    package convenience init(
        pkcs8DER: SecretBytes, algorithm: JWSAlgorithm, keyID: String? = nil
    ) throws(OpenSSLFailure) {
        try self.init(KeyHandle(pkcs8DER: pkcs8DER), algorithm: algorithm, keyID: keyID)
    }

    /// Reads a private key in PEM, in its PKCS #8 or its older form. Refuses an encrypted key.
    package convenience init(pem: SecretBytes, algorithm: JWSAlgorithm, keyID: String? = nil) throws(OpenSSLFailure) {
        try self.init(KeyHandle(pem: pem), algorithm: algorithm, keyID: keyID)
    }

    init(_ key: KeyHandle, algorithm: JWSAlgorithm, keyID: String? = nil) throws(OpenSSLFailure) {
        let publicKey = JWK(material: try key.publicMaterial(), keyID: keyID, algorithm: algorithm)
        guard publicKey.allows(algorithm) else {
            throw OpenSSLFailure(operation: "use a key for \(algorithm.rawValue)", reason: "the key is of another type")
        }
        self.key = key
        self.algorithm = algorithm
        self.publicKey = publicKey
        context = try SignatureContext(key, algorithm, .sign)
        let verification = try SignatureContext(KeyHandle(publicKey.material), algorithm, .verify)
        guard verification.verify(try context.sign([]), of: []) else {
            throw OpenSSLFailure(
                operation: "use a key for \(algorithm.rawValue)", reason: "its halves do not belong together")
        }
    }

    package func sign(_ message: [UInt8]) throws -> [UInt8] { try context.sign(message) }

    /// Exports the private key as an unencrypted PrivateKeyInfo (RFC 5958, PKCS #8), DER.
    package func exportPKCS8() throws(OpenSSLFailure) -> SecretBytes { try key.pkcs8DER() }
}
