import COpenSSL
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
    private static let nonceSize = 12
    private static let tagSize = 16

    private let key: SecretBytes
    private let random = SystemRandom()

    /// Derives the sealing key from `masterKey`, for this purpose only.
    package init(masterKey: MasterKey) { key = masterKey.derived(label: "countersign sealing AES-256-GCM") }

    package func seal(_ plaintext: [UInt8], context: String) throws -> [UInt8] {
        let operation = "seal"
        let nonce = random.bytes(Self.nonceSize)
        var sealed = [Self.version] + nonce
        var ciphertext = [UInt8](repeating: 0, count: plaintext.count + Self.tagSize)
        let cipher = try cipher(nonce, context: context, .encrypt, operation)
        defer { EVP_CIPHER_CTX_free(cipher) }
        var written: Int32 = 0
        try openSSL(operation, EVP_CipherUpdate(cipher, &ciphertext, &written, plaintext, Int32(plaintext.count)))
        var tag = [UInt8](repeating: 0, count: Self.tagSize)
        // Writes no byte, because GCM buffers nothing.
        try openSSL(operation, EVP_CipherFinal_ex(cipher, &tag, &written))
        try openSSL(operation, EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize), &tag))
        ciphertext.replaceSubrange(plaintext.count..., with: tag)
        sealed.append(contentsOf: ciphertext)
        return sealed
    }

    package func open(_ sealed: [UInt8], context: String) throws -> SecretBytes {
        let operation = "open a sealed box"
        let overhead = 1 + Self.nonceSize + Self.tagSize
        guard sealed.count >= overhead, sealed.count < Int(Int32.max), sealed[0] == Self.version else {
            throw Failure.refused
        }
        let nonce = Array(sealed[1..<1 + Self.nonceSize])
        let ciphertext = Array(sealed[(1 + Self.nonceSize)..<(sealed.count - Self.tagSize)])
        var tag = Array(sealed.suffix(Self.tagSize))
        let cipher = try cipher(nonce, context: context, .decrypt, operation)
        defer { EVP_CIPHER_CTX_free(cipher) }
        let plaintext = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: ciphertext.count + Self.tagSize)
        defer {
            clear(UnsafeMutableRawBufferPointer(plaintext))
            plaintext.deallocate()
        }
        var written: Int32 = 0
        try openSSL(
            operation,
            EVP_CipherUpdate(cipher, plaintext.baseAddress, &written, ciphertext, Int32(ciphertext.count)))
        try openSSL(operation, EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagSize), &tag))
        var rest = [UInt8](repeating: 0, count: Self.tagSize)
        guard EVP_CipherFinal_ex(cipher, &rest, &written) == 1 else {
            ERR_clear_error()
            throw Failure.refused
        }
        return SecretBytes(copying: UnsafeBufferPointer(rebasing: plaintext[..<ciphertext.count]))
    }

    private enum Direction: Int32 { case decrypt = 0, encrypt = 1 }

    private func cipher(
        _ nonce: [UInt8], context: String, _ direction: Direction, _ operation: String
    ) throws(OpenSSLFailure) -> OpaquePointer {
        let cipher = try openSSL(operation, EVP_CIPHER_CTX_new())
        do {
            let method = try openSSL(operation, Self.method)
            let status = key.withBytes { key in
                EVP_CipherInit_ex2(cipher, method, key.baseAddress, nonce, direction.rawValue, nil)
            }
            try openSSL(operation, status)
            let context = Array(context.utf8)
            var written: Int32 = 0
            try openSSL(operation, EVP_CipherUpdate(cipher, nil, &written, context, Int32(context.count)))
            return cipher
        } catch {
            EVP_CIPHER_CTX_free(cipher)
            throw error
        }
    }

    /// Immutable once fetched.
    private nonisolated(unsafe) static let method = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil)
}
