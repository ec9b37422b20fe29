import COpenSSL
import COpenSSLSeam
package import JOSE
package import Primitives
package import X509

/// Opens key files with OpenSSL.
package struct OpenSSLKeyFiles: KeyFileReader {
    /// Iterations of all key derivations of a file. Keychain Access and OpenSSL write 2,048 for each key; an iteration
    /// costs about half a microsecond.
    private static let iterationLimit = 100_000

    package init() {}

    package func signer(pem: SecretBytes, algorithm: JWSAlgorithm) throws -> any Signer {
        try OpenSSLSigner(pem: pem, algorithm: algorithm)
    }

    package func identity(pkcs12 file: [UInt8]) throws(KeyFileFailure) -> CertifiedKey {
        guard let chain = BIO_new(BIO_s_mem()) else { throw .unsupported }
        defer { BIO_free(chain) }
        var key: OpaquePointer?
        let outcome = countersign_openssl_open_pkcs12(file, file.count, Self.iterationLimit, &key, chain)
        switch Int(outcome) {
        case COUNTERSIGN_PKCS12_OPENED: break
        case COUNTERSIGN_PKCS12_PASSWORD: throw .hasPassword
        case COUNTERSIGN_PKCS12_TOO_SLOW: throw .tooSlow
        case COUNTERSIGN_PKCS12_UNSUPPORTED: throw .unsupported
        case COUNTERSIGN_PKCS12_INCOMPLETE: throw .incomplete
        default: throw .malformed
        }
        guard let key else { throw .incomplete }
        let handle = KeyHandle(taking: key)
        let pem = Array(chain.memoryContents)
        guard let own = try? Certificate(pem: pem), let der = try? own.der(),
            let certificate = X509.Certificate(der: der), let privateKey = try? handle.pkcs8PEM()
        else { throw .unsupported }
        return CertifiedKey(certificate: certificate, chainPEM: pem, privateKeyPEM: privateKey)
    }
}
