import Glibc
import Synchronization
import Workbench

/// A network between a node and the database servers: it passes bytes on, late, or not at all.
final class Relay: Sendable {
    enum Mode: Sendable, Equatable {
        case open
        /// Nothing arrives, and nobody is told.
        case stalled
        /// Milliseconds that pass before bytes are passed on.
        case slow(Int)
        /// Connections are reset, and new ones, too.
        case cut
    }

    private static let size = 65_536

    /// A port for each of the servers.
    let ports: [UInt16]
    private let mode = Mutex(Mode.open)
    private let listeners: [Int32]
    private let servers: [UInt16]

    /// Both directions of a connection.
    private struct Pair {
        /// The node's end, and the server's.
        let ends: [Int32]
        /// Bytes that each end has yet to get.
        var owed: [[UInt8]] = [[], []]
        var isOver = false
    }

    init(to servers: [UInt16]) throws {
        self.servers = servers
        var listeners: [Int32] = []
        var ports: [UInt16] = []
        for _ in servers {
            let (listener, port) = try Self.listen()
            listeners.append(listener)
            ports.append(port)
        }
        self.listeners = listeners
        self.ports = ports
    }

    func set(_ mode: Mode) { self.mode.withLock { $0 = mode } }

    /// Passes bytes on until the process ends.
    func work() -> Never {
        var pairs: [Pair] = []
        while true {
            let mode = mode.withLock(\.self)
            if mode == .cut {
                for pair in pairs { Self.reset(pair) }
                pairs = []
            }
            if case .slow(let milliseconds) = mode { usleep(UInt32(milliseconds) * 1000) }
            accept(&pairs, mode)
            if mode != .stalled { for index in pairs.indices { Self.pass(&pairs[index]) } }
            for pair in pairs where pair.isOver { for end in pair.ends { close(end) } }
            pairs.removeAll(where: \.isOver)
            waitForBytes(pairs, mode)
        }
    }

    private func waitForBytes(_ pairs: [Pair], _ mode: Mode) {
        var sources = listeners.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        if mode != .stalled {
            for pair in pairs {
                for (place, end) in pair.ends.enumerated() {
                    // Bytes are read once those before are delivered.
                    let events = (pair.owed[1 - place].isEmpty ? POLLIN : 0) | (pair.owed[place].isEmpty ? 0 : POLLOUT)
                    sources.append(pollfd(fd: end, events: Int16(events), revents: 0))
                }
            }
        }
        poll(&sources, nfds_t(sources.count), 20)
    }

    private func accept(_ pairs: inout [Pair], _ mode: Mode) {
        for (listener, server) in zip(listeners, servers) {
            while true {
                let node = Glibc.accept(listener, nil, nil)
                guard node >= 0 else { break }
                _ = fcntl(node, F_SETFL, O_NONBLOCK)
                _ = fcntl(node, F_SETFD, FD_CLOEXEC)
                let other = mode == .cut ? -1 : Self.connect(to: server)
                let pair = Pair(ends: [node, other])
                if other < 0 { Self.reset(pair) } else { pairs.append(pair) }
            }
        }
    }

    private static func pass(_ pair: inout Pair) {
        var buffer = [UInt8](repeating: 0, count: size)
        for place in 0...1 {
            if pair.owed[1 - place].isEmpty {
                let count = recv(pair.ends[place], &buffer, buffer.count, 0)
                if count > 0 {
                    pair.owed[1 - place] = Array(buffer[..<count])
                } else if count == 0 || errno != EAGAIN && errno != EINTR {
                    pair.isOver = true
                }
            }
            guard !pair.owed[1 - place].isEmpty else { continue }
            let sent = send(pair.ends[1 - place], pair.owed[1 - place], pair.owed[1 - place].count, Int32(MSG_NOSIGNAL))
            if sent > 0 {
                pair.owed[1 - place].removeFirst(sent)
            } else if errno != EAGAIN && errno != EINTR {
                pair.isOver = true
            }
        }
    }

    /// Closes so that the other side gets a reset.
    private static func reset(_ pair: Pair) {
        var now = linger(l_onoff: 1, l_linger: 0)
        for end in pair.ends where end >= 0 {
            setsockopt(end, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            close(end)
        }
    }

    private static func listen() throws -> (Int32, UInt16) {
        let port = try freePort()
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var on: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        let bound = withAddress(port) { Glibc.bind(listener, $0, $1) }
        guard listener >= 0, bound == 0, Glibc.listen(listener, 128) == 0 else {
            throw Failure("cannot listen on \(port)", errno: errno)
        }
        return (listener, port)
    }

    /// -1 if nobody listens there.
    private static func connect(to port: UInt16) -> Int32 {
        let end = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard withAddress(port, { Glibc.connect(end, $0, $1) }) == 0 else {
            close(end)
            return -1
        }
        var on: Int32 = 1
        setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        return end
    }

    private static func withAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
