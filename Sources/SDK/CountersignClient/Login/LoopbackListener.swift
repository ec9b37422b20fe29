#if !canImport(CryptoKit)
    import Foundation
    import Primitives
    import Synchronization

    /// A port of 127.0.0.1 that takes one redirect (RFC 8252 clause 7.3): only this machine can reach it, and only a
    /// request for the right path that brings the right `state` along counts. All waiting is done on one thread of its
    /// own.
    final class LoopbackListener: Sendable {
        struct Limits: Sendable {
            /// Until which the redirect must have come.
            var deadline: Duration = .seconds(300)
            /// In which a connection must have sent its request's head.
            var head: Duration = .seconds(10)
            /// Bytes of a request's head.
            var headBytes = 16_384
            /// At the same time; one more and the oldest is closed.
            var connections = 16
        }

        let port: UInt16
        /// Negative once it is closed.
        private let socket: Mutex<Int32>
        /// Wakes the thread: what is written at one end, it sees at the other.
        private let wake: (read: Int32, write: Int32)

        init() throws(CountersignError) {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw .noBrowser(Self.reason("make a pipe", errno)) }
            wake = (ends[0], ends[1])
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let failure = errno
            self.socket = Mutex(socket)
            guard socket >= 0 else {
                for end in ends { close(end) }
                throw .noBrowser(Self.reason("make a socket", failure))
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

        /// Nothing listens afterwards.
        private func stop() {
            socket.withLock { socket in
                if socket >= 0 { close(socket) }
                socket = -1
            }
        }

        private static func reason(_ what: String, _ number: Int32) -> String {
            "cannot \(what): \(String(cString: strerror(number)))"
        }

        /// Waits for the redirect, and returns its target: the path with the query. Once; then the port is closed.
        func callback(
            path: String, state: String, uiLocales: [String], limits: Limits
        ) async throws(CountersignError) -> String {
            let outcome = await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: CheckedContinuation<LoopbackOutcome, Never>) in
                    Thread.detachNewThread { [self] in
                        var service = LoopbackService(
                            socket: socket.withLock(\.self), wake: wake.read, limits: limits,
                            answerer: LoopbackAnswerer(port: port, path: path, state: state, uiLocales: uiLocales))
                        let outcome = service.run()
                        stop()
                        continuation.resume(returning: outcome)
                    }
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
        /// Makes a descriptor stay out of programs that this one starts, and never wait.
        fileprivate func makeOwnAndNonblocking() {
            _ = fcntl(self, F_SETFD, FD_CLOEXEC)
            _ = fcntl(self, F_SETFL, O_NONBLOCK)
        }
    }

    /// What the thread does: accepts, reads heads, answers, until one was the redirect.
    private struct LoopbackService {
        private struct Connection {
            let descriptor: Int32
            let deadline: ContinuousClock.Instant
            var head: [UInt8] = []
        }

        let socket: Int32
        let wake: Int32
        let limits: LoopbackListener.Limits
        let answerer: LoopbackAnswerer
        /// Oldest first.
        private var connections: [Connection] = []

        init(socket: Int32, wake: Int32, limits: LoopbackListener.Limits, answerer: LoopbackAnswerer) {
            self.socket = socket
            self.wake = wake
            self.limits = limits
            self.answerer = answerer
        }

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
                // Rounded up: a moment too early would only turn the loop.
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
            let descriptor = Foundation.accept(socket, nil, nil)
            guard descriptor >= 0 else { return }
            descriptor.makeOwnAndNonblocking()
            if connections.count == limits.connections { close(connections.removeFirst().descriptor) }
            connections.append(Connection(descriptor: descriptor, deadline: .now + limits.head))
        }

        /// Takes what a connection sent. Returns the target when that was the redirect.
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

        /// An answer is smaller than a new socket's buffer, so that one call takes all of it.
        private func send(_ bytes: [UInt8], to descriptor: Int32) {
            _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            shutdown(descriptor, Int32(SHUT_WR))
            // Bytes that nobody read would have the system reset the connection, and the answer with it.
            var rest = [UInt8](repeating: 0, count: 4096)
            for _ in 0..<16 where recv(descriptor, &rest, rest.count, 0) <= 0 { break }
        }
    }
#endif
