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

    package func signer(pem: SecretBytes, algorithm: JWSAlgorithm) throws(KeyFileFailure) -> any Signer {
        let key = KeyHandle(taking: try KeyHandle.read(pem: pem))
        do throws(OpenSSLFailure) { return try OpenSSLSigner(key, algorithm: algorithm) } catch {
            throw KeyFileFailure.otherKey
        }
    }

    package func identity(pkcs12 file: [UInt8]) throws(KeyFileFailure) -> CertifiedKey {
        guard let chain = BIO_new(BIO_s_mem()) else { throw .unsupported }
        defer { BIO_free(chain) }
        var key: OpaquePointer?
        try KeyFileFailure.check(
            countersign_openssl_open_pkcs12(file, file.count, Self.iterationLimit, &key, chain))
        guard let key else { throw .incomplete }
        let handle = KeyHandle(taking: key)
        let pem = Array(chain.memoryContents)
        guard let own = try? Certificate(pem: pem), let der = try? own.der(),
            let certificate = X509.Certificate(der: der), let privateKey = try? handle.pkcs8PEM()
        else { throw .unsupported }
        return CertifiedKey(certificate: certificate, chainPEM: pem, privateKeyPEM: privateKey)
    }
}
