import COpenSSL
import COpenSSLSeam
import Primitives
import X509

extension KeyHandle {
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
        let pointer: OpaquePointer
        do throws(KeyFileFailure) { pointer = try Self.read(pem: pem) } catch {
            throw OpenSSLFailure(operation: "read a private key in PEM", reason: error.reason)
        }
        self.init(taking: pointer)
    }

    convenience init(pkcs8DER: SecretBytes) throws(OpenSSLFailure) {
        let pointer: OpaquePointer
        do throws(KeyFileFailure) { pointer = try Self.read(pkcs8DER, countersign_openssl_read_pkcs8) } catch {
            throw OpenSSLFailure(operation: "read a PKCS #8 private key", reason: error.reason)
        }
        self.init(taking: pointer)
    }

    /// Reads the first private key of a text, whose kind and size are checked before anything is computed. The caller
    /// owns the reference.
    static func read(pem: SecretBytes) throws(KeyFileFailure) -> OpaquePointer {
        try read(pem, countersign_openssl_read_pem)
    }

    private static func read(
        _ bytes: SecretBytes,
        _ body: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<OpaquePointer?>?) -> Int32
    ) throws(KeyFileFailure) -> OpaquePointer {
        var key: OpaquePointer?
        let outcome = bytes.withBytes { bytes in body(bytes.baseAddress, bytes.count, &key) }
        try KeyFileFailure.check(outcome)
        guard let key else { throw .malformed }
        return key
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
