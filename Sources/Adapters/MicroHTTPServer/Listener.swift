import Glibc

/// The listening socket. It accepts connections in place of libmicrohttpd, which spins when the process is out of
/// descriptors, can stop the process by a race when it stops listening, and cannot limit connections by number.
struct Listener {
    let socket: Int32
    let port: UInt16

    enum Accepted {
        case connection(Int32, sockaddr_in6, socklen_t)
        /// No connection waits, or the one that waited is gone.
        case none
        /// The system is out of descriptors or memory (errno).
        case exhausted(Int32)
    }

    init(address: String, port: UInt16) throws(HTTPServerError) {
        var storage = sockaddr_storage()
        let length: socklen_t
        let family: Int32
        if let v4 = Self.v4(address, port) {
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v4, as: sockaddr_in.self) }
            (length, family) = (socklen_t(MemoryLayout<sockaddr_in>.size), AF_INET)
        } else if let v6 = Self.v6(address, port) {
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v6, as: sockaddr_in6.self) }
            (length, family) = (socklen_t(MemoryLayout<sockaddr_in6>.size), AF_INET6)
        } else {
            throw .invalidConfiguration("\"\(address)\" is not an IP address")
        }

        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let socket = Glibc.socket(family, type, 0)
        let place = "\(address) port \(port)"
        guard socket >= 0 else { throw .cannotListen(place, reason: errno) }
        Self.set(socket, SOL_SOCKET, SO_REUSEADDR, 1)
        if family == AF_INET6 { Self.set(socket, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
        // Accepted connections inherit these, which detect a vanished peer in about a minute.
        Self.set(socket, SOL_SOCKET, SO_KEEPALIVE, 1)
        Self.set(socket, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30)
        Self.set(socket, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10)
        Self.set(socket, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
        Self.set(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 60_000)

        let bound = withUnsafeBytes(of: &storage) { bytes in
            bind(socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), length)
        }
        guard bound == 0, listen(socket, 1_024) == 0 else {
            let reason = errno
            close(socket)
            throw .cannotListen(place, reason: reason)
        }
        self.socket = socket
        self.port = Self.port(of: socket)
    }

    func accept() -> Accepted {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let client = withUnsafeMutableBytes(of: &address) { bytes in
            Glibc.accept(socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        let code = errno
        if client >= 0 {
            // The library makes it non-blocking.
            _ = fcntl(client, F_SETFD, FD_CLOEXEC)
            return .connection(client, address, length)
        }
        switch code {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted(code)
        default: return .none
        }
    }

    private static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func v4(_ text: String, _ port: UInt16) -> sockaddr_in? {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        return inet_pton(AF_INET, text, &address.sin_addr) == 1 ? address : nil
    }

    private static func v6(_ text: String, _ port: UInt16) -> sockaddr_in6? {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        return inet_pton(AF_INET6, text, &address.sin6_addr) == 1 ? address : nil
    }

    /// `sin_port` and `sin6_port` have the same offset.
    private static func port(of socket: Int32) -> UInt16 {
        var address = sockaddr_in6()
        var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutableBytes(of: &address) { bytes in
            _ = getsockname(socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        return UInt16(bigEndian: address.sin6_port)
    }
}
