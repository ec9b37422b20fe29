package import JOSE
package import Primitives

/// Opens private keys in files that operators and tenants provide.
package protocol KeyFileReader: Sendable {
    /// Reads a private key in PEM without a passphrase, at bounded cost. Throws if it does not fit `algorithm`.
    func signer(pem: SecretBytes, algorithm: JWSAlgorithm) throws(KeyFileFailure) -> any Signer

    /// Opens a PKCS #12 file that has no password, at bounded cost.
    func identity(pkcs12 file: [UInt8]) throws(KeyFileFailure) -> CertifiedKey
}

/// A certificate by which this program names itself in a TLS handshake, with its key.
package struct CertifiedKey: Sendable {
    package let certificate: Certificate
    /// The certificate and its intermediates.
    package let chainPEM: [UInt8]
    package let privateKeyPEM: SecretBytes

    package init(certificate: Certificate, chainPEM: [UInt8], privateKeyPEM: SecretBytes) {
        self.certificate = certificate
        self.chainPEM = chainPEM
        self.privateKeyPEM = privateKeyPEM
    }
}

/// Reason that a file with a private key is of no use.
package enum KeyFileFailure: Error, Sendable, Equatable {
    case malformed, hasPassword, tooSlow, unsupported, incomplete
    /// Keys other than RSA with two primes, EC with a named curve, and Ed25519.
    case keyType
    /// An RSA key outside `2048...8192` bits, or one with an exponent of more than 32 bits.
    case keySize
    /// More than 8 certificates, one of more than 8 KB, or one with an unsupported key.
    case certificates
    /// A key that does not fit the algorithm, or whose halves do not match.
    case otherKey
}
