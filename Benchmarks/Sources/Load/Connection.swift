import Glibc

/// One keep-alive connection of a load. Used by its loop's thread only.
package final class Connection {
    /// Index among the connections of its loop.
    package let index: Int
    /// Time at which the current request was sent. An answer's latency is measured from it.
    package internal(set) var sentAt: UInt64 = 0
    /// Set by a scenario before it requests a stream, whose data is then delivered on arrival.
    package var isStream = false

    var descriptor: Int32 = -1
    var isWatchingOutput = false
    var reader = AnswerReader()
    private let port: UInt16
    private var unsent: [UInt8] = []

    init(index: Int, port: UInt16) {
        self.index = index
        self.port = port
    }

    deinit { close() }

    /// Sends as much of a request as the socket accepts. The loop sends the rest.
    package func send(_ request: [UInt8]) {
        sentAt = MonotonicClock.now
        guard unsent.isEmpty else {
            unsent.append(contentsOf: request)
            return
        }
        let sent = write(request)
        if sent < request.count { unsent.append(contentsOf: request[max(0, sent)...]) }
    }

    var hasUnsent: Bool { !unsent.isEmpty }

    /// Sends the rest of an earlier call.
    func flush() {
        let sent = write(unsent)
        if sent > 0 { unsent.removeFirst(sent) }
    }

    private func write(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Connects to the loopback address. Blocking, since the kernel answers a local connect at once.
    func open() throws(LoadFailure) {
        close()
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw .system("socket", errno: errno) }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard result == 0 else {
            let code = errno
            close()
            throw .connect(port: port, errno: code)
        }
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw .system("fcntl", errno: errno) }
        reader.reset()
        unsent.removeAll(keepingCapacity: true)
    }

    func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
        isWatchingOutput = false
    }
}
