public import OpenSSLCrypto

extension Samples {
    /// Seals under a key that is made for each run.
    public static let sealer = AESGCMSealer(masterKey: .generate())
}
