import COpenSSL
import Primitives

extension KeyHandle {
    /// True for an RSA key of accepted size and for all other keys, whose curve sets the size.
    var isLargeEnough: Bool {
        EVP_PKEY_is_a(pointer, "RSA") != 1 || Self.rsaBits.contains(Int(EVP_PKEY_get_bits(pointer)))
    }

    /// True if the public half is mathematically valid: a point of order n on the curve (SP 800-186 appendix D), or an
    /// odd composite modulus without small factors (SP 800-56B clause 6.4.2.2).
    var isSound: Bool {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { return false }
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        return EVP_PKEY_public_check(context) == 1
    }

    convenience init(pem: SecretBytes) throws(OpenSSLFailure) {
        let pointer = pem.withBytes { bytes -> OpaquePointer? in
            guard let source = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
            defer { BIO_free(source) }
            // Without a callback OpenSSL would ask for the passphrase on the terminal.
            return PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil)
        }
        self.init(taking: try openSSL("read a private key in PEM", pointer))
    }

    func pkcs8DER() throws(OpenSSLFailure) -> SecretBytes {
        let operation = "write a private key"
        let info = try openSSL(operation, EVP_PKEY2PKCS8(pointer))
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        var output: UnsafeMutablePointer<UInt8>?
        let count = Int(i2d_PKCS8_PRIV_KEY_INFO(info, &output))
        guard count > 0, let output else { throw .last(operation) }
        defer { CRYPTO_clear_free(output, count, #file, #line) }
        return SecretBytes(copying: UnsafeBufferPointer(start: output, count: count))
    }

    func pkcs8PEM() throws(OpenSSLFailure) -> SecretBytes {
        let operation = "write a private key in PEM"
        let memory = try openSSL(operation, BIO_new(BIO_s_mem()))
        // Also clears the key from the memory.
        defer { BIO_free(memory) }
        try openSSL(operation, PEM_write_bio_PKCS8PrivateKey(memory, pointer, nil, nil, 0, nil, nil))
        return SecretBytes(copying: memory.memoryContents)
    }
}

extension OpaquePointer {
    /// Contents of a memory BIO, valid until the BIO is written to or freed.
    var memoryContents: UnsafeBufferPointer<UInt8> {
        var start: UnsafeMutablePointer<UInt8>?
        let count = BIO_ctrl(self, BIO_CTRL_INFO, 0, &start)
        return UnsafeBufferPointer(start: start, count: max(0, count))
    }
}
