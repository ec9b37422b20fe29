package import Primitives

/// Seals with AES-256-GCM (NIST SP 800-38D). A box is a version byte, a random nonce of 12 bytes, the ciphertext and a
/// tag of 16 bytes, which also authenticates the context.
///
/// Random nonces allow 2³² boxes under one key (SP 800-38D clause 8.3), far more than there are keys to seal.
package struct AESGCMSealer: Sealer, RowAuthenticator {
    package enum Failure: Error, Sendable, Equatable {
        /// The box was changed or cut, or was sealed under another key, context or version.
        case refused
    }

    private static let version: UInt8 = 1

    private let key: SecretBytes
    private let rowKey: SecretBytes
    private let random = SystemRandom()

    /// Derives a key for boxes and one for MACs of rows from `masterKey`, each for that purpose only.
    package init(masterKey: MasterKey) {
        key = masterKey.derived(label: "countersign sealing AES-256-GCM")
        rowKey = masterKey.derived(label: "countersign rows HMAC-SHA-256")
    }

    package var isOpen: Bool { true }

    package func mac(_ bytes: [UInt8]) -> [UInt8] { OpenSSLHashing().hmac(.sha256, key: rowKey.bytes, bytes) }

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
