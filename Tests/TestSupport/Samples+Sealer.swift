import OpenSSLCrypto
public import Primitives

extension Samples {
    /// Seals under a key that is made for each run.
    public static let sealer: any Sealer = AESGCMSealer(masterKey: .generate())
}
