import Glibc
import Synchronization

/// Phase of one client connection and its deadline. The event thread that owns the connection changes the phase; the
/// supervisor reads it from its own thread.
final class Connection: Sendable {
    enum Phase: UInt64 {
        /// Between requests, in the TLS handshake, or receiving a head.
        case awaitingHead
        case receivingBody
        /// In a handler that has not suspended. No other thread can interrupt it.
        case handling
        /// A handler is suspended and libmicrohttpd does not look at the socket.
        case suspended
        case sending
        case streaming
        /// The supervisor shut the socket down.
        case ended
    }

    let socket: Int32
    let address: PeerAddress

    /// The phase in the low three bits. Above them the deadline in milliseconds of the monotonic clock, 0 for none.
    private let word: Atomic<UInt64>

    /// Certificate of the connection's TLS session.
    private let certificate: Certificate?

    /// The request that began last. Used on the connection's event thread only.
    nonisolated(unsafe) var begun: Unmanaged<Exchange>?

    unowned let core: ServerCore

    private struct Current {
        /// False once the library has announced that it closes the socket.
        var isOpen = true
        var exchange: Exchange?
    }
    private let current = Mutex(Current())

    init(core: ServerCore, socket: Int32, address: PeerAddress, certificate: Certificate?, headDeadline: UInt64) {
        self.core = core
        self.socket = socket
        self.address = address
        self.certificate = certificate
        word = Atomic(headDeadline << 3 | Phase.awaitingHead.rawValue)
    }

    /// Must be called before the handshake. `handle` is the library's connection.
    func presentCertificate(on handle: OpaquePointer) { certificate?.use(for: handle) }

    func enter(_ phase: Phase, until deadline: UInt64 = 0) {
        word.store(deadline << 3 | phase.rawValue, ordering: .relaxed)
    }

    var phase: Phase { Phase(rawValue: word.load(ordering: .relaxed) & 7) ?? .ended }

    /// Milliseconds of the monotonic clock, 0 for none.
    var deadline: UInt64 { word.load(ordering: .relaxed) >> 3 }

    /// True between requests, and while a head or a body is not complete.
    var isWaitingForClient: Bool { [.awaitingHead, .receivingBody].contains(phase) }

    /// Phase in which the deadline passed. Nil means that it has not passed. Ends every phase but `suspended`, in which
    /// the handler's request still needs an answer.
    func expired(at now: UInt64) -> Phase? {
        let seen = word.load(ordering: .relaxed)
        guard seen >> 3 != 0, seen >> 3 <= now, let phase = Phase(rawValue: seen & 7) else { return nil }
        if phase == .suspended { return phase }
        return claim(seen) ? phase : nil
    }

    /// Ends a connection that waits for a request or, with `orReceiving`, for the rest of a body.
    func endIfIdle(orReceiving: Bool = false) {
        let seen = word.load(ordering: .relaxed)
        switch Phase(rawValue: seen & 7) {
        case .awaitingHead: break
        case .receivingBody where orReceiving: break
        default: return
        }
        if claim(seen) { shutDown() }
    }

    private func claim(_ seen: UInt64) -> Bool {
        word.compareExchange(expected: seen, desired: Phase.ended.rawValue, ordering: .relaxed).exchanged
    }

    /// Makes the event thread see the end of the connection. The library still closes the socket.
    func shutDown() {
        current.withLock { current in
            if current.isOpen { Glibc.shutdown(socket, Int32(SHUT_RDWR)) }
        }
    }

    /// True if the system already knows that the peer is gone.
    var peerHasLeft: Bool {
        current.withLock { current in
            !current.isOpen || PeerSocket.isClosed(socket, speaksTLS: certificate != nil)
        }
    }

    /// Must be called before the library closes the socket, whose number may then name another connection.
    func markClosed() { current.withLock { current in current.isOpen = false } }

    /// Exchange that the supervisor watches, because its handler runs or is suspended, or it streams.
    var watched: Exchange? { current.withLock { $0.exchange } }

    /// Record of the request that the handler works on.
    var record: RequestRecord {
        watched?.record(.aborted)
            ?? RequestRecord(
                id: "", method: "", path: "", status: 0, outcome: .aborted, duration: .zero, requestBytes: 0,
                responseBytes: 0, remoteAddress: address.text, clientAddress: nil)
    }

    func watch(_ exchange: Exchange?) { current.withLock { $0.exchange = exchange } }
}
