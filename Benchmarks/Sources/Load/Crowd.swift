import Glibc

/// Idle and slow clients of a server of this machine, from many addresses of the loopback, on a thread of their own. A third
/// is silent after one request, a third never completes a head, and a third never completes a body. Each slow one sends
/// a byte every few seconds. A connection that the server closes is opened again.
package final class Crowd: @unchecked Sendable {
    private enum Manner: Int {
        case idle, slowHead, slowBody

        var beginning: String {
            switch self {
            case .idle: "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
            case .slowHead: "GET /healthz HTTP/1.1\r\nX: "
            case .slowBody: "POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\n"
            }
        }
    }

    /// Connections of one address.
    private static let perAddress = 500
    /// Rounds through all connections, with a byte from each slow one.
    private static let round: UInt64 = 5_000_000_000

    private let port: UInt16
    private var sockets: [Int32]
    private var thread = pthread_t()
    private let state = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    /// Connections that the server closed, and that were opened again.
    package private(set) var reopened = 0

    /// Opens all connections.
    package init(port: UInt16, count: Int) throws(LoadFailure) {
        self.port = port
        sockets = [Int32](repeating: -1, count: count)
        state.initialize(to: 1)
        for index in sockets.indices { try open(index) }
        let own = Unmanaged.passRetained(self)
        let failure = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Crowd>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, own.toOpaque())
        guard failure == 0 else {
            own.release()
            throw .system("pthread_create", errno: failure)
        }
    }

    deinit { state.deallocate() }

    /// Closes all connections.
    package func stop() {
        state.pointee = 0
        pthread_join(thread, nil)
        for socket in sockets where socket >= 0 { close(socket) }
    }

    private func manner(_ index: Int) -> Manner { Manner(rawValue: index % 3) ?? .idle }

    private func open(_ index: Int) throws(LoadFailure) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system("socket", errno: errno) }
        // From 127.0.0.2 on.
        let place = index / Self.perAddress + 2
        var source = address(0x7F00_0000 + UInt32(place))
        var target = address(INADDR_LOOPBACK)
        target.sin_port = port.bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &source) { source in
            withUnsafePointer(to: &target) { target in
                source.withMemoryRebound(to: sockaddr.self, capacity: 1) { source in
                    target.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                        bind(descriptor, source, size) == 0 ? connect(descriptor, target, size) : -1
                    }
                }
            }
        }
        guard result == 0 else {
            let code = errno
            close(descriptor)
            throw .connect(port: port, errno: code)
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        sockets[index] = descriptor
        send(manner(index).beginning, to: descriptor)
    }

    private func address(_ number: UInt32) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = number.bigEndian
        return address
    }

    private func send(_ text: String, to socket: Int32) {
        var text = text
        text.withUTF8 { _ = Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    private func run() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var next = 0
        let begin = MonotonicClock.now
        var served: UInt64 = 0
        while state.pointee == 1 {
            usleep(10_000)
            // As many as are due by now, so that they spread over the round.
            let due = (MonotonicClock.now - begin) * UInt64(sockets.count) / Self.round
            while served < due {
                served += 1
                serve(next, &buffer)
                next = next + 1 == sockets.count ? 0 : next + 1
            }
        }
    }

    private func serve(_ index: Int, _ buffer: inout [UInt8]) {
        let descriptor = sockets[index]
        let count = descriptor < 0 ? 0 : recv(descriptor, &buffer, buffer.count, 0)
        let isOpen = count > 0 || count < 0 && errno == EAGAIN
        if isOpen {
            if manner(index) != .idle { send("a", to: descriptor) }
            return
        }
        if descriptor >= 0 { close(descriptor) }
        sockets[index] = -1
        reopened += 1
        // The next round tries again.
        try? open(index)
    }
}
