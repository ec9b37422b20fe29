import Glibc
package import HTTPModel
import Synchronization

/// An HTTP/1.1 server (RFC 9112), with TLS if it has a certificate.
///
/// Handlers run on the event threads until they first suspend. A handler that never suspends answers without a thread
/// switch. A handler that blocks also blocks the other connections of its thread. A handler's task is cancelled when
/// its client leaves or its deadline passes.
///
/// A started server runs until `stop(within:)`; releasing it does not stop it.
package final class HTTPServer: Sendable {
    private enum State {
        case idle
        /// Connections wait in the kernel's queue.
        case listening(Listener)
        case running(Supervisor, port: UInt16)
        case stopped
    }

    private let core: ServerCore
    private let state = Mutex(State.idle)

    /// `answerSynchronously` is called first. Requests that it leaves go to `handler`.
    /// - Throws: `invalidConfiguration` for a limit outside its range, or `badCertificate`.
    package init(
        configuration: HTTPServerConfiguration, observer: (any HTTPServerObserver)? = nil,
        answerSynchronously: @escaping SynchronousHandler = { _ in nil }, handler: @escaping Handler
    ) throws(HTTPServerError) {
        try configuration.limits.validate()
        if let threads = configuration.threads { try HTTPLimits.check("threads", threads, 1...256) }
        core = try ServerCore(
            configuration: configuration, observer: observer, answerSynchronously: answerSynchronously, handler: handler
        )
    }

    /// Takes the port. Connections wait until the server starts. Does nothing if the server has its port.
    package func listen() throws(HTTPServerError) {
        try state.withLock { (state) throws(HTTPServerError) in
            if case .idle = state { state = .listening(try makeListener()) }
        }
    }

    /// Listens and serves. A server can start only once.
    package func start() throws(HTTPServerError) {
        // Without this, writing to a closed connection would end the process.
        signal(SIGPIPE, SIG_IGN)
        try state.withLock { (state) throws(HTTPServerError) in
            let listener: Listener
            switch state {
            case .idle: listener = try makeListener()
            case .listening(let made): listener = made
            case .running, .stopped: throw .cannotStart("it was started before")
            }
            do throws(HTTPServerError) {
                state = .running(try Supervisor.start(core, listener), port: listener.port)
            } catch {
                close(listener.socket)
                state = .stopped
                throw error
            }
        }
    }

    private func makeListener() throws(HTTPServerError) -> Listener {
        try Listener(address: core.configuration.address, port: core.configuration.port)
    }

    /// Presents another certificate on new connections; open connections keep theirs. Does nothing if the server has no
    /// TLS.
    /// - Throws: `badCertificate`, and keeps the old certificate.
    package func renew(_ identity: TLSIdentity) throws(HTTPServerError) {
        guard core.configuration.tls != nil else { return }
        core.certificate = try Certificate(identity)
    }

    /// The port that the server listens on. 0 unless it listens.
    package var port: UInt16 {
        state.withLock { state in
            switch state {
            case .listening(let listener): listener.port
            case .running(_, let port): port
            case .idle, .stopped: 0
            }
        }
    }

    package var openConnections: Int { core.table.count }

    /// Bytes of request bodies that count against `HTTPLimits.bodyBytesInAll`.
    package var bodyBytes: Int { core.bodies.bytes }

    /// Number of connections whose handler or stream waits.
    package var suspendedConnections: Int { core.suspendedCount }

    /// Stops accepting, ends idle connections and streams, and waits for running requests for at most `limit`. Requests
    /// that still run then are answered 503 and cancelled. Returns when all sockets are closed.
    ///
    /// A handler that blocks its event thread cannot be ended. Its request is returned shortly after the limit, and its
    /// thread and connections stay until the process ends.
    @discardableResult
    package func stop(within limit: Duration = .seconds(10)) async -> [RequestRecord] {
        let supervisor = state.withLock { state -> Supervisor? in
            switch state {
            case .running(let supervisor, _): return supervisor
            case .listening(let listener): close(listener.socket)
            case .idle, .stopped: break
            }
            state = .stopped
            return nil
        }
        return await supervisor?.stop(within: limit) ?? []
    }
}
