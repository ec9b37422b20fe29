import CMicroHTTPD
import Glibc
import HTTPModel
import MicroHTTPServer
import TestSupport

/// A client that sends a request and disconnects in a chosen way, over TCP or TLS. Its calls block.
final class LeavingClient: @unchecked Sendable {
    /// Ways to disconnect.
    enum Way: String, CaseIterable {
        /// Closes the socket with a FIN.
        case close
        /// Closes the socket with a reset.
        case reset
        /// Closes only the sending side, and continues to read.
        case halfClose
        /// Sends close_notify (RFC 8446 clause 6.1) and keeps the socket open.
        case closeNotify
    }

    struct Failure: Error { let what: String }

    private let socket: Int32
    private var session: gnutls_session_t?
    private var credentials: gnutls_certificate_credentials_t?
    private var isOpen = true

    init(port: UInt16, speaksTLS: Bool) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let connected = withUnsafeBytes(of: address) { bytes in
            connect(
                socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
                socklen_t(MemoryLayout<sockaddr_in>.size))
        }
        guard connected == 0 else { throw Failure(what: "connect: \(errno)") }
        guard speaksTLS else { return }
        // 2 is GNUTLS_CLIENT. The test certificate is not verified.
        gnutls_init(&session, 2)
        gnutls_certificate_allocate_credentials(&credentials)
        guard let session, let credentials else { throw Failure(what: "no TLS session") }
        gnutls_set_default_priority(session)
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
        gnutls_transport_set_int2(session, socket, socket)
        let status = gnutls_handshake(session)
        guard status == 0 else { throw Failure(what: "handshake: \(status)") }
    }

    deinit {
        if let session { gnutls_deinit(session) }
        if let credentials { gnutls_certificate_free_credentials(credentials) }
        if isOpen { Glibc.close(socket) }
    }

    func send(_ request: Request) throws {
        var text = "\(request.method) \(request.path) HTTP/1.1\r\nContent-Length: \(request.body.count)\r\n"
        for field in request.fields { text += "\(field.name): \(field.value)\r\n" }
        let bytes = Array((text + "\r\n").utf8) + request.body
        let count =
            session.map { gnutls_record_send($0, bytes, bytes.count) }
            ?? Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count == bytes.count else { throw Failure(what: "sent \(count)") }
    }

    func leave(_ way: Way) {
        switch way {
        // The peer hears both now, although a program that another test starts may have a copy of the descriptor until it runs.
        case .close:
            shutdown(socket, Int32(SHUT_RDWR))
            Glibc.close(socket)
            isOpen = false
        case .reset:
            var now = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            var nothing = sockaddr()
            nothing.sa_family = sa_family_t(AF_UNSPEC)
            connect(socket, &nothing, socklen_t(MemoryLayout<sockaddr>.size))
        case .halfClose: shutdown(socket, Int32(SHUT_WR))
        case .closeNotify:
            // GNUTLS_SHUT_WR
            if let session { gnutls_bye(session, GNUTLS_SHUT_WR) }
        }
    }

    /// First part of the answer. Empty means that the connection ended.
    func receive() -> String {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count =
            session.map { gnutls_record_recv($0, &buffer, buffer.count) }
            ?? recv(socket, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
