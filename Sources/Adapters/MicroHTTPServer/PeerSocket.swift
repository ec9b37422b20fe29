import CMicroHTTPD
import Glibc

/// The kernel's knowledge of a connection's peer.
enum PeerSocket {
    /// True if the peer closed or reset the connection, closed its sending side (a FIN does not tell the two apart), or
    /// sent a TLS alert: close_notify mostly (RFC 8446 clause 6.1), and a fatal one ends the connection too.
    static func isClosed(_ socket: Int32, speaksTLS: Bool) -> Bool {
        var state = pollfd(fd: socket, events: Int16(POLLIN) | countersign_poll_peer_closed, revents: 0)
        guard poll(&state, 1, 0) > 0 else { return false }
        return state.revents & ~Int16(POLLIN) != 0 || (speaksTLS && beginsWithAlert(socket))
    }

    /// Time since the kernel got the peer's last bytes, read or not. Zero if the system does not say.
    static func silence(of socket: Int32) -> Duration {
        var facts = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &facts, &size) == 0 else { return .zero }
        return .milliseconds(facts.tcpi_last_data_recv)
    }

    /// Peeks at the header of the first waiting record. TLS 1.2 names the type. TLS 1.3 hides it, but an alert alone
    /// has two bytes, its type, and a tag of 16: no request begins with a record of two bytes.
    private static func beginsWithAlert(_ socket: Int32) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 5) { header in
            guard recv(socket, header.baseAddress, 5, Int32(MSG_PEEK | MSG_DONTWAIT)) == 5 else { return false }
            let length = Int(header[3]) << 8 | Int(header[4])
            return header[0] == 21 || (header[0] == 23 && length == 2 + 1 + 16)
        }
    }
}
