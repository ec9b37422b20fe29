package import Primitives

/// Seals with AES-256-GCM (NIST SP 800-38D). A box is a version byte, a random nonce of 12 bytes, the ciphertext and a
/// tag of 16 bytes, which also authenticates the context.
///
/// Random nonces allow 2³² boxes under one key (SP 800-38D clause 8.3), far more than there are keys to seal.
package struct AESGCMSealer: Sealer {
    package enum Failure: Error, Sendable, Equatable {
        /// The box was changed or cut, or was sealed under another key, context or version.
        case refused
    }

    private static let version: UInt8 = 1

    private let key: SecretBytes
    private let random = SystemRandom()

    /// Derives the sealing key from `masterKey`, for this purpose only.
    package init(masterKey: MasterKey) { key = masterKey.derived(label: "countersign sealing AES-256-GCM") }

    package func seal(_ plaintext: [UInt8], context: String) throws -> [UInt8] {
        let nonce = random.bytes(AESGCM.nonceSize)
        let box = try AESGCM.aes256.seal(plaintext, key: key, nonce: nonce, context: Array(context.utf8), "seal")
        return [Self.version] + nonce + box
    }

    package func open(_ sealed: [UInt8], context: String) throws -> SecretBytes {
        let start = 1 + AESGCM.nonceSize
        guard sealed.count >= start, sealed[0] == Self.version,
            let opened = try AESGCM.aes256.open(
                Array(sealed[start...]), key: key, nonce: Array(sealed[1..<start]), context: Array(context.utf8),
                "open a sealed box")
        else { throw Failure.refused }
        return opened
    }
}
