/// Encrypts a message for one subscription to Web Push (RFC 8291).
package protocol PushEncryption: Sendable {
    /// Returns the body of a push message: one record of `aes128gcm` (RFC 8188) under a key of its own. The message is
    /// padded to `size` bytes, so that the body's length tells nothing.
    ///
    /// Throws if `publicKey` is not an uncompressed point of P-256, or if the message is longer than `size`.
    /// - Parameters:
    ///   - publicKey: the subscription's key `p256dh`, 65 bytes.
    ///   - secret: the subscription's secret `auth`, 16 bytes.
    func encrypt(_ message: [UInt8], to publicKey: [UInt8], secret: [UInt8], size: Int) throws -> [UInt8]
}
