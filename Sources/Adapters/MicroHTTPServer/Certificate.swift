import CMicroHTTPD
import CMicroHTTPDSeam

/// A certificate with its key as GnuTLS has them. The library keeps one for as long as it listens; each connection is
/// given the newest instead, and keeps that until it ends.
///
/// Unchecked: GnuTLS changes nothing of it after it was made.
final class Certificate: @unchecked Sendable {
    private let credentials: gnutls_certificate_credentials_t

    /// Throws `badCertificate` if the texts are no PEM, or the key is not the certificate's.
    init(_ identity: TLSIdentity) throws(HTTPServerError) {
        var made: gnutls_certificate_credentials_t?
        var status = gnutls_certificate_allocate_credentials(&made)
        guard let made else { throw Self.failure(status) }
        status = countersign_mhd_set_certificate(made, identity.certificateChainPEM, identity.privateKeyPEM)
        guard status >= 0 else {
            gnutls_certificate_free_credentials(made)
            throw Self.failure(status)
        }
        credentials = made
    }

    deinit { gnutls_certificate_free_credentials(credentials) }

    /// Before the handshake of a connection.
    func use(for connection: OpaquePointer) {
        countersign_mhd_use_certificate(connection, credentials)
    }

    private static func failure(_ status: Int32) -> HTTPServerError {
        let text = gnutls_strerror(status).map { String(cString: $0) } ?? "GnuTLS error \(status)"
        return .badCertificate(text.last == "." ? String(text.dropLast()) : text)
    }
}
