import COpenSSL
import Primitives

/// AES in Galois/Counter Mode with nonces of 12 bytes and tags of 16 bytes (NIST SP 800-38D).
struct AESGCM: Sendable {
    static let nonceSize = 12
    static let tagSize = 16
    static let aes128 = AESGCM("AES-128-GCM")
    static let aes256 = AESGCM("AES-256-GCM")

    /// Immutable once fetched. Nil if OpenSSL lacks the cipher.
    private nonisolated(unsafe) let method: OpaquePointer?

    private init(_ name: String) { method = EVP_CIPHER_fetch(nil, name, nil) }

    /// Returns the ciphertext followed by the tag, which authenticates `context` too.
    func seal(
        _ plaintext: [UInt8], key: SecretBytes, nonce: [UInt8], context: [UInt8] = [], _ operation: String
    ) throws(OpenSSLFailure) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: plaintext.count + Self.tagSize)
        let cipher = try cipher(key, nonce, context, .encrypt, operation)
        defer { EVP_CIPHER_CTX_free(cipher) }
        var written: Int32 = 0
        try openSSL(operation, EVP_CipherUpdate(cipher, &sealed, &written, plaintext, Int32(plaintext.count)))
        var tag = [UInt8](repeating: 0, count: Self.tagSize)
        // Writes no byte, because GCM buffers nothing.
        try openSSL(operation, EVP_CipherFinal_ex(cipher, &tag, &written))
        try openSSL(operation, EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagSize), &tag))
        sealed.replaceSubrange(plaintext.count..., with: tag)
        return sealed
    }

    /// Nil if the tag does not fit.
    func open(
        _ sealed: [UInt8], key: SecretBytes, nonce: [UInt8], context: [UInt8] = [], _ operation: String
    ) throws(OpenSSLFailure) -> SecretBytes? {
        guard sealed.count >= Self.tagSize, sealed.count < Int(Int32.max) else { return nil }
        let ciphertext = Array(sealed.dropLast(Self.tagSize))
        var tag = Array(sealed.suffix(Self.tagSize))
        let cipher = try cipher(key, nonce, context, .decrypt, operation)
        defer { EVP_CIPHER_CTX_free(cipher) }
        let plaintext = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: sealed.count)
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
            return nil
        }
        return SecretBytes(copying: UnsafeBufferPointer(rebasing: plaintext[..<ciphertext.count]))
    }

    private enum Direction: Int32 { case decrypt = 0, encrypt = 1 }

    private func cipher(
        _ key: SecretBytes, _ nonce: [UInt8], _ context: [UInt8], _ direction: Direction, _ operation: String
    ) throws(OpenSSLFailure) -> OpaquePointer {
        let cipher = try openSSL(operation, EVP_CIPHER_CTX_new())
        do {
            let method = try openSSL(operation, method)
            let status = key.withBytes { key in
                EVP_CipherInit_ex2(cipher, method, key.baseAddress, nonce, direction.rawValue, nil)
            }
            try openSSL(operation, status)
            if !context.isEmpty {
                var written: Int32 = 0
                try openSSL(operation, EVP_CipherUpdate(cipher, nil, &written, context, Int32(context.count)))
            }
            return cipher
        } catch {
            EVP_CIPHER_CTX_free(cipher)
            throw error
        }
    }
}
