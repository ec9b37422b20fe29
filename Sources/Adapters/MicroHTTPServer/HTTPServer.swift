import Glibc
package import HTTPModel
import Synchronization

/// An HTTP/1.1 server (RFC 9112), with TLS where it is given a certificate.
///
/// Handlers run on the event threads until they first suspend: one that never does answers without a thread switch,
/// and one that blocks, blocks the connections of its thread. A handler's task is cancelled when its client goes away
/// or its deadline passes.
///
/// A server that was started runs until `stop(within:)`; releasing it does not stop it.
package final class HTTPServer: Sendable {
    private enum State {
        case idle
        case running(Supervisor, port: UInt16)
        case stopped
    }

    private let core: ServerCore
    private let state = Mutex(State.idle)

    /// `synchronous` is called first. Requests that it leaves go to `handler`.
    /// - Throws: `invalidConfiguration` for a limit outside its range, `badCertificate`.
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

    /// Listens and serves. A server starts once.
    package func start() throws(HTTPServerError) {
        // A client that closes while it is written to is an error of that write, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        try state.withLock { (state) throws(HTTPServerError) in
            guard case .idle = state else { throw .cannotStart("it was started before") }
            let listener = try Listener(
                address: core.configuration.address, port: core.configuration.port)
            do throws(HTTPServerError) {
                state = .running(try Supervisor.start(core, listener), port: listener.port)
            } catch {
                close(listener.socket)
                throw error
            }
        }
    }

    /// Presents another certificate to who connects from now on; connections that are open keep theirs. Nothing where
    /// the server speaks no TLS.
    /// - Throws: `badCertificate`; the one before stays.
    package func renew(_ identity: TLSIdentity) throws(HTTPServerError) {
        guard core.configuration.tls != nil else { return }
        core.certificate = try Certificate(identity)
    }

    /// The port the server listens on; 0 before it started.
    package var port: UInt16 {
        state.withLock { state in
            if case .running(_, let port) = state { port } else { 0 }
        }
    }

    /// Open connections.
    package var openConnections: Int { core.table.count }

    /// Bytes of request bodies that count against `HTTPLimits.bodyBytesInAll`.
    package var bodyBytes: Int { core.bodies.bytes }

    /// Connections whose handler or stream waits.
    package var suspendedConnections: Int { core.suspendedCount }

    /// Stops accepting, ends idle connections and streams, and waits for running requests to be answered, at most
    /// `limit`; what still runs then is answered 503 and its task cancelled. Returns when all sockets are closed.
    ///
    /// A handler that holds its event thread cannot be ended. The requests of such handlers are returned a moment after
    /// the limit, and their thread and its connections stay until the process ends.
    @discardableResult
    package func stop(within limit: Duration = .seconds(10)) async -> [RequestRecord] {
        let supervisor = state.withLock { state -> Supervisor? in
            defer { if case .idle = state { state = .stopped } }
            if case .running(let supervisor, _) = state { return supervisor }
            return nil
        }
        return await supervisor?.stop(within: limit) ?? []
    }
}
