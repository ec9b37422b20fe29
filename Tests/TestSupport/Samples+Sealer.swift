import OpenSSLCrypto
package import Primitives

extension Samples {
    /// Seals under a key of this run.
    package static let sealer: any Sealer & RowAuthenticator = AESGCMSealer(masterKey: .generate())
}
