/// Told of every request once it is over, on an event thread: it must be quick and must not block. Counts and the
/// access log come from here.
package protocol HTTPServerObserver: Sendable {
    func requestFinished(_ record: RequestRecord)
    /// The system refused a new connection, for want of file descriptors or memory. Told at most once a second; the
    /// server goes on and tries again.
    func acceptFailed(_ reason: String)
    /// A body was refused because all bodies together take as much memory as they may.
    func bodyRefused()
}

/// Outcome of one request. Nothing in it is secret: the query and the fields are left out.
package struct RequestRecord: Sendable {
    package enum Outcome: Sendable {
        /// The answer was handed to the system in whole.
        case completed
        /// The connection ended first: the peer left, a deadline passed, or the server stopped.
        case aborted
        /// The client left while it waited for an answer. Nobody saw the answer, and `status` is 499.
        case clientLeft
    }

    /// How long an answer is meant to take: what waits for somebody says nothing of how fast the server is.
    package enum Manner: Sendable {
        case immediate
        /// The request asked to be held (`Prefer: wait`, RFC 7240).
        case held
        case streamed
    }

    /// As `Request.id` and `X-Request-Id`.
    package let id: String
    /// Empty if the head was unreadable.
    package let method: String
    /// The raw path without the query. Empty if the head was unreadable.
    package let path: String
    /// The status queued; 0 where there was none.
    package let status: Int
    package let outcome: Outcome
    /// From the request line's arrival until the answer was sent.
    package let duration: Duration
    /// Body bytes received.
    package let requestBytes: Int
    /// Body bytes of the answer; what was handed to the connection, for a stream.
    package let responseBytes: Int
    /// The peer's IP address.
    package let remoteAddress: String
    /// Client of the request, by `HTTPServerConfiguration.clientAddress`. Nil if that is nil, or if the request reached
    /// no handler.
    package let clientAddress: String?
    package var manner = Manner.immediate
}
