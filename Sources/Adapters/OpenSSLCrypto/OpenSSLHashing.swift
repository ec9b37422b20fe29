import COpenSSL
import COpenSSLSeam
package import Primitives

/// SHA-1, SHA-2 and HMAC from OpenSSL's providers.
package struct OpenSSLHashing: Hashing {
    package init() {}

    package func hash(_ algorithm: HashAlgorithm, _ message: [UInt8]) -> [UInt8] {
        DigestMethod.of(algorithm).digest(message)
    }

    package func hmac(_ algorithm: HashAlgorithm, key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        DigestMethod.of(algorithm).hmac(key: key, message)
    }

    package func sha256(_ message: UnsafeBufferPointer<UInt8>) -> Digest256 {
        withUnsafeTemporaryAllocation(byteCount: Digest256.size, alignment: 8) { output in
            DigestMethod.of(.sha256).digest(UnsafeRawBufferPointer(message), into: output)
            return Digest256(UnsafeRawBufferPointer(output))
        }
    }
}

/// A fetched hash function. Fetched once per process, because fetching searches the providers under a lock.
struct DigestMethod: Sendable {
    /// Immutable once fetched; OpenSSL counts references to it atomically.
    nonisolated(unsafe) let pointer: OpaquePointer
    /// A keyed HMAC context that is copied but never used itself.
    private nonisolated(unsafe) let macTemplate: OpaquePointer
    let size: Int
    let name: String

    private static let sha1 = DigestMethod(name: "SHA1")
    private static let sha256 = DigestMethod(name: "SHA256")
    private static let sha384 = DigestMethod(name: "SHA384")
    private static let sha512 = DigestMethod(name: "SHA512")

    static func of(_ algorithm: HashAlgorithm) -> DigestMethod {
        switch algorithm {
        case .sha1: sha1
        case .sha256: sha256
        case .sha384: sha384
        case .sha512: sha512
        }
    }

    /// The hash functions are part of OpenSSL's default provider. If one is missing, the installation is broken, and
    /// the process stops, since callers compare and derive secrets with the result.
    private init(name: String) {
        guard let pointer = EVP_MD_fetch(nil, name, nil) else { preconditionFailure("OpenSSL does not offer \(name)") }
        guard let mac = EVP_MAC_fetch(nil, "HMAC", nil), let template = EVP_MAC_CTX_new(mac) else {
            preconditionFailure("OpenSSL does not offer HMAC")
        }
        EVP_MAC_free(mac)
        var digestName = Array(name.utf8CString)
        // A context must have a key before it can be copied. Each copy gets its own key.
        let isKeyed = digestName.withUnsafeMutableBufferPointer { digestName in
            var parameters = [
                OSSL_PARAM_construct_utf8_string(COpenSSL_MAC_DIGEST, digestName.baseAddress, 0),
                OSSL_PARAM_construct_end(),
            ]
            return EVP_MAC_init(template, [0], 1, &parameters)
        }
        precondition(isKeyed == 1, "OpenSSL does not offer HMAC with \(name)")
        self.name = name
        self.pointer = pointer
        macTemplate = template
        size = Int(EVP_MD_get_size(pointer))
    }

    /// Stops the process if memory is exhausted, rather than return a wrong digest.
    func digest(_ message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: size) { output, count in
            message.withUnsafeBytes { digest($0, into: UnsafeMutableRawBufferPointer(output)) }
            count = size
        }
    }

    func digest(_ message: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        let status = countersign_openssl_digest(
            pointer, message.baseAddress, message.count, output.baseAddress?.assumingMemoryBound(to: UInt8.self))
        precondition(status == 1, "a hash could not be computed")
    }

    func hmac(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: size) { output, count in
            // A nil key would keep the previous one, so an empty key still needs an address.
            let keyMemory = key.isEmpty ? [0] : key
            let done =
                countersign_openssl_hmac(
                    macTemplate, keyMemory, key.count, message, message.count, output.baseAddress, size) == 1
            precondition(done, "an HMAC could not be computed")
            count = size
        }
    }
}
