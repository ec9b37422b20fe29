import COpenSSL
package import Files
package import Primitives

/// The 32 bytes that protect all data at rest. Each purpose has its own key, derived by a label.
package struct MasterKey: Sendable {
    package static let size = 32

    /// The text is neither 43 characters of base64url nor 64 of hexadecimal.
    package struct FormFailure: Error, Sendable, Equatable, CustomStringConvertible {
        /// Path of the text's file. Nil means that the text was not read from a file.
        var file: String?

        package var description: String {
            let place = file.map { "\($0): " } ?? ""
            return "\(place)a master key is 32 bytes, written as 43 characters of base64url or 64 hexadecimal digits"
        }
    }

    private let secret: SecretBytes

    private init(secret: SecretBytes) { self.secret = secret }

    /// Reads base64url or hexadecimal. Ignores surrounding blanks and line ends.
    package init(text: String) throws(FormFailure) {
        let isBlank: (Character) -> Bool = { $0 == " " || $0.isNewline || $0 == "\t" }
        let trimmed = text.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
        let key = String(trimmed)
        guard let bytes = key.utf8.count == 2 * Self.size ? Hex.decode(key) : Base64URL.decode(key),
            bytes.count == Self.size
        else { throw FormFailure() }
        secret = SecretBytes(bytes)
    }

    package static func generate() -> MasterKey { MasterKey(secret: SecretBytes(SystemRandom().bytes(size))) }

    /// Reads a key from a file. Refuses a file that others than its owner may read.
    /// - Throws: `FileFailure` or `FormFailure`.
    package init(file path: String) throws {
        let text = String(decoding: try PrivateFile.readSecret(path).bytes, as: UTF8.self)
        do { try self.init(text: text) } catch { throw FormFailure(file: path) }
    }

    /// Creates the file with mode 0600 for `owner`, or for the owner of its folder. Throws if the file exists, so that a
    /// key in use is never overwritten.
    package func createFile(_ path: String, for owner: FileOwner? = nil) throws(FileFailure) {
        let text = SecretBytes(Base64URL.encodedBytes(secret.bytes) + [UInt8(ascii: "\n")])
        try PrivateFile.store(text, to: path, replacing: false, for: owner)
    }

    /// Derives a key for one purpose, 32 bytes: HKDF-SHA256 (RFC 5869) with `label` as `info` and no salt.
    package func derived(label: String) -> SecretBytes {
        HKDF.derive(secret, salt: [], info: Array(label.utf8), count: Self.size)
    }
}

/// HKDF with SHA-256 (RFC 5869).
package enum HKDF {
    /// - Parameter count: Bytes to derive, `1...8160` (RFC 5869 clause 2.3).
    package static func derive(_ key: SecretBytes, salt: [UInt8], info: [UInt8], count: Int) -> SecretBytes {
        precondition((1...8160).contains(count), "HKDF-SHA256 derives 1 to 8160 bytes")
        let output = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
        defer {
            clear(UnsafeMutableRawBufferPointer(output))
            output.deallocate()
        }
        // Fails only if memory is exhausted. Stops the process rather than return a key of zeros.
        precondition(fill(output, key, salt, info), "HKDF could not be computed")
        return SecretBytes(copying: UnsafeBufferPointer(output))
    }

    private static func fill(
        _ output: UnsafeMutableBufferPointer<UInt8>, _ key: SecretBytes, _ salt: [UInt8], _ info: [UInt8]
    ) -> Bool {
        guard let method = EVP_KDF_fetch(nil, "HKDF", nil), let context = EVP_KDF_CTX_new(method),
            let builder = OSSL_PARAM_BLD_new()
        else { return false }
        defer {
            EVP_KDF_free(method)
            EVP_KDF_CTX_free(context)
            OSSL_PARAM_BLD_free(builder)
        }
        return key.withBytes { key in
            salt.withUnsafeBytes { salt in
                info.withUnsafeBytes { info in
                    var pushed = OSSL_PARAM_BLD_push_utf8_string(builder, COpenSSL_KDF_DIGEST, COpenSSL_SHA256, 0)
                    for (name, start, count) in [
                        (COpenSSL_KDF_KEY, key.baseAddress.map(UnsafeRawPointer.init), key.count),
                        (COpenSSL_KDF_SALT, salt.baseAddress, salt.count),
                        (COpenSSL_KDF_INFO, info.baseAddress, info.count),
                    ] where count > 0 {
                        pushed &= OSSL_PARAM_BLD_push_octet_string(builder, name, start, count)
                    }
                    guard pushed == 1, let parameters = OSSL_PARAM_BLD_to_param(builder) else { return false }
                    defer { OSSL_PARAM_free(parameters) }
                    return EVP_KDF_derive(context, output.baseAddress, output.count, parameters) == 1
                }
            }
        }
    }
}

/// Overwrites memory in a way that the optimiser does not remove.
func clear(_ memory: UnsafeMutableRawBufferPointer) { OPENSSL_cleanse(memory.baseAddress, memory.count) }
