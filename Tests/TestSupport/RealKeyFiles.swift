package import JOSE
import OpenSSLCrypto
package import Primitives
package import X509

/// Opens key files as the server does, for fakes that make keys of their own.
package protocol RealKeyFiles: KeyFileReader {}

extension RealKeyFiles {
    package func signer(pem: SecretBytes, algorithm: JWSAlgorithm) throws(KeyFileFailure) -> any Signer {
        try OpenSSLKeyFiles().signer(pem: pem, algorithm: algorithm)
    }

    package func identity(pkcs12 file: [UInt8]) throws(KeyFileFailure) -> CertifiedKey {
        try OpenSSLKeyFiles().identity(pkcs12: file)
    }
}
