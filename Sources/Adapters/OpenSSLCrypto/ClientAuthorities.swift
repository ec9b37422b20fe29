import COpenSSL
import COpenSSLSeam
package import Primitives
import X509

/// Authorities whose certificates authenticate clients.
package final class ClientAuthorities: CertificateTrust {
    /// Never changed after `init`; OpenSSL locks it for look-ups. Nil means that there are no authorities.
    private nonisolated(unsafe) let store: OpaquePointer?

    /// Creates an empty set, which vouches for no client.
    package init() { store = nil }

    /// Reads the authorities' certificates, PEM.
    /// - Throws: If the text has no certificate or an unreadable one.
    package init(pem: [UInt8]) throws(OpenSSLFailure) {
        let operation = "read the authorities of clients"
        let store = try openSSL(operation, X509_STORE_new())
        self.store = store
        let source = try openSSL(operation, BIO_new_mem_buf(pem, Int32(clamping: pem.count)))
        defer { BIO_free(source) }
        var count = 0
        while let certificate = PEM_read_bio_X509(source, nil, { _, _, _, _ in -1 }, nil) {
            defer { X509_free(certificate) }
            try openSSL(operation, X509_STORE_add_cert(store, certificate))
            count += 1
        }
        // The end of the text is an error too: the last one must be PEM_R_NO_START_LINE.
        let code = ERR_peek_last_error()
        defer { ERR_clear_error() }
        guard count > 0, COpenSSL_is_end_of_pem(code) == 1 else { throw .last(operation) }
    }

    package var hasAuthorities: Bool { store != nil }

    deinit { X509_STORE_free(store) }

    package func vouches(for chain: [[UInt8]], at now: Timestamp) -> Bool {
        defer { ERR_clear_error() }
        guard let store, let leaf = chain.first.flatMap(Self.read) else { return false }
        let issuers = chain.dropFirst().prefix(8).compactMap(Self.read)
        // The pointers keep nothing alive. Without this the optimizer frees what OpenSSL still reads.
        return withExtendedLifetime((leaf, issuers)) {
            countersign_openssl_verify_client(
                store, leaf.pointer, issuers.map { Optional($0.pointer) }, issuers.count, time_t(now.seconds)) == 1
        }
    }

    private static func read(_ der: [UInt8]) -> Certificate? {
        countersign_openssl_read_certificate(der, der.count).map { Certificate(taking: $0) }
    }
}
