#if !canImport(CryptoKit)
    import PlatformFoundation
    import Primitives
    import Synchronization
    import Threads

    /// A port of 127.0.0.1 that receives one redirect (RFC 8252 clause 7.3). Only this machine can reach it, and it
    /// accepts only the right path with the right `state`. All waiting happens on its own thread.
    final class LoopbackListener: Sendable {
        struct Limits: Sendable {
            /// Maximum time until the redirect.
            var deadline: Duration = .seconds(300)
            /// Maximum time for a connection to send its request's head.
            var head: Duration = .seconds(10)
            /// Maximum size of a request's head in bytes.
            var headBytes = 16_384
            /// Maximum number of concurrent connections. Beyond it, the oldest is closed.
            var connections = 16
        }

        let port: UInt16
        /// Negative after the socket was closed.
        private let socket: Mutex<Int32>
        /// A pipe that wakes the thread.
        private let wake: (read: Int32, write: Int32)

        init() throws(CountersignError) {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw .noBrowser(Self.reason("create a pipe", errno)) }
            wake = (ends[0], ends[1])
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            let socket = PlatformFoundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let failure = errno
            self.socket = Mutex(socket)
            guard socket >= 0 else {
                for end in ends { close(end) }
                throw .noBrowser(Self.reason("create a socket", failure))
            }
            for descriptor in ends + [socket] { descriptor.makeOwnAndNonblocking() }
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    bind(socket, address, length) == 0 && listen(socket, SOMAXCONN) == 0
                        && getsockname(socket, address, &length) == 0 ? 0 : errno
                }
            }
            port = UInt16(bigEndian: address.sin_port)
            guard status == 0 else { throw .noBrowser(Self.reason("listen on 127.0.0.1", status)) }
        }

        deinit {
            stop()
            close(wake.read)
            close(wake.write)
        }

        private func stop() {
            socket.withLock { socket in
                if socket >= 0 { close(socket) }
                socket = -1
            }
        }

        private static func reason(_ what: String, _ number: Int32) -> String {
            "cannot \(what): \(String(cString: strerror(number)))"
        }

        /// Waits for the redirect and returns its path and query. The port is closed afterwards.
        func callback(
            path: String, state: String, uiLocales: [String], limits: Limits
        ) async throws(CountersignError) -> String {
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: CheckedContinuation<LoopbackOutcome, Never>) in
                    do throws(SystemThread.Failure) {
                        try SystemThread.detach { [self] in
                            var service = LoopbackService(
                                socket: socket.withLock(\.self), wake: wake.read, limits: limits,
                                answerer: LoopbackAnswerer(port: port, path: path, state: state, uiLocales: uiLocales))
                            let outcome = service.run()
                            stop()
                            continuation.resume(returning: outcome)
                        }
                    } catch { continuation.resume(returning: .failed(error.code)) }
                }
            } onCancel: {
                _ = write(wake.write, "x", 1)
            }
            switch outcome {
            case .target(let target): return target
            case .expired: throw .expired
            case .cancelled: throw .cancelled
            case .failed(let number): throw .noBrowser(Self.reason("wait on 127.0.0.1", number))
            }
        }
    }

    enum LoopbackOutcome: Sendable {
        case target(String)
        case expired
        case cancelled
        /// `errno`.
        case failed(Int32)
    }

    extension Int32 {
        /// Makes a descriptor non-blocking and hides it from child processes.
        fileprivate func makeOwnAndNonblocking() {
            _ = fcntl(self, F_SETFD, FD_CLOEXEC)
            _ = fcntl(self, F_SETFL, O_NONBLOCK)
        }
    }

    /// The work of the thread: accepts connections, reads heads and answers, until the redirect arrives.
    private struct LoopbackService {
        struct Connection {
            let descriptor: Int32
            let deadline: ContinuousClock.Instant
            var head: [UInt8] = []
        }

        let socket: Int32
        let wake: Int32
        let limits: LoopbackListener.Limits
        let answerer: LoopbackAnswerer
        /// Oldest first.
        var connections: [Connection] = []

        mutating func run() -> LoopbackOutcome {
            defer { for connection in connections { close(connection.descriptor) } }
            let deadline = ContinuousClock.now + limits.deadline
            while true {
                let now = ContinuousClock.now
                guard now < deadline else { return .expired }
                closeLate(now)
                let next = connections.map(\.deadline).min().map { min($0, deadline) } ?? deadline
                var watched = ([wake, socket] + connections.map(\.descriptor)).map {
                    pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
                }
                // Rounded up, since a wait that is too short would only repeat the loop.
                let count = poll(&watched, nfds_t(watched.count), Int32(clamping: (next - now).milliseconds + 1))
                let failure = errno
                if count < 0, failure != EINTR { return .failed(failure) }
                guard count > 0 else { continue }
                if watched[0].revents != 0 { return .cancelled }
                for ready in watched[2...] where ready.revents != 0 {
                    if let target = read(ready.fd) { return .target(target) }
                }
                if watched[1].revents != 0 { accept() }
            }
        }

        private mutating func closeLate(_ now: ContinuousClock.Instant) {
            for connection in connections where connection.deadline <= now { close(connection.descriptor) }
            connections.removeAll { $0.deadline <= now }
        }

        private mutating func accept() {
            let descriptor = PlatformFoundation.accept(socket, nil, nil)
            guard descriptor >= 0 else { return }
            descriptor.makeOwnAndNonblocking()
            if connections.count == limits.connections { close(connections.removeFirst().descriptor) }
            connections.append(Connection(descriptor: descriptor, deadline: .now + limits.head))
        }

        /// Reads from a connection. Returns the target if the request is the redirect.
        private mutating func read(_ descriptor: Int32) -> String? {
            guard let index = connections.firstIndex(where: { $0.descriptor == descriptor }) else { return nil }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            let failure = errno
            if count < 0, failure == EAGAIN || failure == EINTR { return nil }
            connections[index].head += buffer.prefix(max(0, count))
            let answer = answerer.answer(to: connections[index].head, limit: limits.headBytes)
            guard count <= 0 || answer != nil else { return nil }
            connections.remove(at: index)
            if let answer { send(answer.bytes, to: descriptor) }
            close(descriptor)
            return answer?.target
        }

        /// Sends a response, which is smaller than the buffer of a new socket, so that one call is enough.
        private func send(_ bytes: [UInt8], to descriptor: Int32) {
            _ = PlatformFoundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            shutdown(descriptor, Int32(SHUT_WR))
            // If unread bytes remained, the system would reset the connection and the response would be lost.
            var rest = [UInt8](repeating: 0, count: 4096)
            for _ in 0..<16 where recv(descriptor, &rest, rest.count, 0) <= 0 { break }
        }
    }
#endif
