import OpenSSLCrypto
package import Primitives

extension Samples {
    /// Seals under a key that is made for each run.
    package static let sealer: any Sealer = AESGCMSealer(masterKey: .generate())
}
