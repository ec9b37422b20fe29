import CMicroHTTPD
import CMicroHTTPDSeam
import Glibc
import Synchronization
import Threads

/// The server's own thread. It accepts connections, enforces deadlines, detects peers that left while libmicrohttpd
/// ignores their sockets, and stops the server.
///
/// Unchecked: the daemon's pointer is used on the supervisor's thread only.
final class Supervisor: @unchecked Sendable {
    private struct Requests {
        var stopWithin: Duration?
        var isStopped = false
        var unfinished: [RequestRecord] = []
        var waiters: [CheckedContinuation<[RequestRecord], Never>] = []
    }

    private let core: ServerCore
    private let listener: Listener
    private let daemon: OpaquePointer
    private let complaint: UnsafeMutablePointer<countersign_mhd_complaint>
    private let wakeUp: Int32
    private let requests = Mutex(Requests())
    /// Milliseconds between two checks of the connections.
    private let interval: UInt64

    private init(
        core: ServerCore, listener: Listener, daemon: OpaquePointer,
        complaint: UnsafeMutablePointer<countersign_mhd_complaint>, wakeUp: Int32
    ) {
        self.core = core
        self.listener = listener
        self.daemon = daemon
        self.complaint = complaint
        self.wakeUp = wakeUp
        let limits = core.configuration.limits
        let shortest = min(limits.headDeadline, limits.bodyDeadline, limits.exchangeDeadline).milliseconds
        interval = min(max(shortest / 4, 5), 250)
    }

    /// GnuTLS's names. TLS 1.2 and later (RFC 8996), with the four TLS 1.2 suites that RFC 9325 clause 4.2 recommends:
    /// an ephemeral key exchange over elliptic curves, with AES-GCM. FAPI lists no ChaCha20-Poly1305, and GnuTLS can
    /// enable it only for both versions.
    static let priorities = [
        "NORMAL", "-VERS-ALL", "+VERS-TLS1.3", "+VERS-TLS1.2", "-KX-ALL", "+ECDHE-ECDSA", "+ECDHE-RSA",
        "-CIPHER-ALL", "+AES-128-GCM", "+AES-256-GCM", "-MAC-ALL", "+AEAD",
    ].joined(separator: ":")

    /// Starts the event threads and the supervisor.
    static func start(_ core: ServerCore, _ listener: Listener) throws(HTTPServerError) -> Supervisor {
        let complaint = UnsafeMutablePointer<countersign_mhd_complaint>.allocate(capacity: 1)
        complaint.initialize(to: countersign_mhd_complaint())
        let threads = core.configuration.threads ?? max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
        var daemon: OpaquePointer?
        if let tls = core.configuration.tls {
            daemon = tls.certificateChainPEM.withCString { certificates in
                tls.privateKeyPEM.withCString { key in
                    core.start(
                        certificates: certificates, privateKey: key, priorities: Self.priorities, threads: threads,
                        complaint: complaint)
                }
            }
        } else {
            daemon = core.start(
                certificates: nil, privateKey: nil, priorities: nil, threads: threads, complaint: complaint)
        }
        guard let daemon else {
            let reason = withUnsafeBytes(of: &complaint.pointee.text) { bytes in
                String(decoding: bytes.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            }
            complaint.deallocate()
            throw .cannotStart(reason.isEmpty ? "libmicrohttpd gave no reason" : reason)
        }
        let wakeUp = countersign_event_descriptor()
        let failure = errno
        guard wakeUp >= 0 else {
            MHD_stop_daemon(daemon)
            complaint.deallocate()
            throw .cannotStart(systemError(failure))
        }
        let supervisor = Supervisor(
            core: core, listener: listener, daemon: daemon, complaint: complaint, wakeUp: wakeUp)
        do {
            try SystemThread.detach { supervisor.run() }
        } catch {
            MHD_stop_daemon(daemon)
            close(wakeUp)
            complaint.deallocate()
            throw .cannotStart(systemError(error.code))
        }
        return supervisor
    }

    /// Stops the server and waits until it has stopped. Returns the requests whose handlers still block their event
    /// thread.
    func stop(within limit: Duration) async -> [RequestRecord] {
        await withCheckedContinuation { continuation in
            let unfinished: [RequestRecord]? = requests.withLock { requests in
                guard !requests.isStopped else { return requests.unfinished }
                requests.stopWithin = min(requests.stopWithin ?? limit, limit)
                requests.waiters.append(continuation)
                // Within the lock, because the stopped thread closes the descriptor.
                var one: UInt64 = 1
                _ = write(wakeUp, &one, 8)
                return nil
            }
            if let unfinished { continuation.resume(returning: unfinished) }
        }
    }

    // MARK: The thread

    private func run() {
        var sweepAt = MonotonicClock.milliseconds + interval
        var acceptAt: UInt64 = 0
        var complainAt: UInt64 = 0
        while requests.withLock({ $0.stopWithin }) == nil {
            var now = MonotonicClock.milliseconds
            let accepts = now >= acceptAt
            var sockets = [
                pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
                pollfd(fd: accepts ? listener.socket : -1, events: Int16(POLLIN), revents: 0),
            ]
            let wait = min(sweepAt > now ? sweepAt - now : 0, accepts ? .max : acceptAt - now)
            poll(&sockets, 2, Int32(clamping: wait))
            now = MonotonicClock.milliseconds
            // After a pause the connections still wait in the kernel's queue. Trying again at once would only spin.
            if sockets[1].revents != 0 {
                switch acceptWaiting(now) {
                case .none: break
                case .eventThreadsAreBehind: acceptAt = now + 5
                case .exhausted(let failure):
                    acceptAt = now + 50
                    if now >= complainAt {
                        complainAt = now + 1_000
                        core.observer?.acceptFailed(systemError(failure))
                    }
                }
            }
            if now >= sweepAt {
                sweep(now)
                sweepAt = now + interval
            }
        }
        finish()
    }

    /// Why accepting has to pause.
    private enum Pause {
        /// The system is out of descriptors or memory (errno).
        case exhausted(Int32)
        case eventThreadsAreBehind
    }

    /// Accepted connections that may wait for an event thread. More would only add handshakes to the work of threads
    /// that are behind, in front of the requests of open connections.
    private static let arrivalLimit = 256

    private func acceptWaiting(_ now: UInt64) -> Pause? {
        // Bounded, so that a flood of connections does not delay the deadlines.
        for _ in 0..<64 {
            guard core.table.arriving < Self.arrivalLimit else { return .eventThreadsAreBehind }
            switch listener.accept() {
            case .none: return nil
            case .exhausted(let code): return .exhausted(code)
            case .connection(let socket, var address, let length):
                let connection = Connection(
                    core: core, socket: socket, address: PeerAddress(address, proxies: core.configuration.proxies),
                    certificate: core.certificate,
                    headDeadline: now + core.configuration.limits.headDeadline.milliseconds)
                guard core.table.add(connection) else {
                    close(socket)
                    continue
                }
                let isTaken = withUnsafeBytes(of: &address) { bytes in
                    MHD_add_connection(
                        daemon, socket, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), length)
                }
                // The library has closed the socket.
                if isTaken != .YES { core.table.remove(socket) }
            }
        }
        return nil
    }

    private func sweep(_ now: UInt64) {
        for connection in core.table.surplus() { connection.endIfIdle(orReceiving: true) }
        var suspended: [(Connection, Exchange)] = []
        for connection in core.table.all {
            switch connection.expired(at: now) {
            case .suspended: connection.watched?.giveUp(.deadlinePassed)
            case .some: connection.shutDown()
            case nil:
                let phase = connection.phase
                if phase == .suspended || phase == .streaming, let exchange = connection.watched {
                    suspended.append((connection, exchange))
                }
            }
        }
        guard !suspended.isEmpty else { return }
        var sockets = suspended.map { pollfd(fd: $0.0.socket, events: countersign_poll_peer_closed, revents: 0) }
        guard poll(&sockets, nfds_t(sockets.count), 0) > 0 else { return }
        for (socket, (connection, exchange)) in zip(sockets, suspended) where socket.revents != 0 {
            // If the exchange is still the same, its socket was neither closed nor its number reused.
            if connection.watched === exchange { exchange.peerLeft() }
        }
    }

    /// Milliseconds that a stopping server waits for the rest of a body.
    private static let bodyGrace: UInt64 = 1_000
    /// Milliseconds for the last answers, taken from the limit of stopping.
    private static let lastAnswers: UInt64 = 100

    /// Milliseconds after the limit for handlers that block their event thread.
    private static let threadGrace: UInt64 = 300

    /// Waits for running requests, then ends the rest.
    private func finish() {
        close(listener.socket)
        core.beginStopping()
        let begun = MonotonicClock.milliseconds
        while core.table.count > 0 {
            let now = MonotonicClock.milliseconds
            let limit = (requests.withLock { $0.stopWithin } ?? .zero).milliseconds
            if now + Self.lastAnswers >= begun + limit { break }
            for connection in core.table.all {
                connection.endIfIdle(orReceiving: now >= begun + Self.bodyGrace)
                if connection.phase == .streaming { connection.watched?.stream?.stop() }
            }
            sweep(now)
            poll(nil, 0, 5)
        }
        core.refuseSuspensions()
        // libmicrohttpd must not be stopped with a suspended connection.
        while true {
            for connection in core.table.all { connection.watched?.giveUp(.stopping) }
            if core.suspendedCount == 0 { break }
            sched_yield()
        }
        // The event threads still write the last answers.
        let ends = MonotonicClock.milliseconds + Self.lastAnswers
        while core.table.count > 0, MonotonicClock.milliseconds < ends {
            for connection in core.table.all { connection.endIfIdle() }
            poll(nil, 0, 2)
        }
        let unfinished = unfinishedRequests(until: ends + Self.threadGrace)
        if unfinished.isEmpty {
            MHD_stop_daemon(daemon)
            complaint.deallocate()
        } else {
            // The library would wait for these event threads forever. Keeps all that they may still touch.
            _ = Unmanaged.passRetained(core)
        }
        let waiters = requests.withLock { requests in
            requests.isStopped = true
            requests.unfinished = unfinished
            close(wakeUp)
            defer { requests.waiters = [] }
            return requests.waiters
        }
        for waiter in waiters { waiter.resume(returning: unfinished) }
    }

    /// Requests whose handlers still block an event thread at `end`. Returns early if there are none.
    private func unfinishedRequests(until moment: UInt64) -> [RequestRecord] {
        while true {
            let handling = core.table.all.filter { $0.phase == .handling }
            if handling.isEmpty { return [] }
            if MonotonicClock.milliseconds >= moment { return handling.map(\.record) }
            poll(nil, 0, 5)
        }
    }
}
