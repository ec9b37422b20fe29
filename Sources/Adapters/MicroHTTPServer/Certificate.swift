import CMicroHTTPD
import CMicroHTTPDSeam

/// A certificate and its key in GnuTLS's form. A connection keeps the certificate that was newest when it began, not
/// the one that the library started with.
///
/// Unchecked: GnuTLS does not change it after `init`.
final class Certificate: @unchecked Sendable {
    private let credentials: gnutls_certificate_credentials_t

    /// Throws `badCertificate` if a text is not PEM or the key is another certificate's.
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

    /// Must be called before the connection's handshake.
    func use(for connection: OpaquePointer) { countersign_mhd_use_certificate(connection, credentials) }

    private static func failure(_ status: Int32) -> HTTPServerError {
        let text = gnutls_strerror(status).map { String(cString: $0) } ?? "GnuTLS error \(status)"
        return .badCertificate(text.last == "." ? String(text.dropLast()) : text)
    }
}
