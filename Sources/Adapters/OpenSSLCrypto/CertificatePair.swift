package import Primitives

/// Compares a certificate with a key.
package enum CertificatePair {
    /// True if the private key belongs to the first certificate of the text.
    /// - Throws: If one of them cannot be read, for example because the key has a password.
    package static func matches(certificatePEM: [UInt8], keyPEM: SecretBytes) throws(OpenSSLFailure) -> Bool {
        try Certificate(pem: certificatePEM).belongs(to: try KeyHandle(pem: keyPEM))
    }
}
