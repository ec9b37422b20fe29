/// Receives every finished request, on an event thread: it must be quick and must not block. Serves the metrics and the
/// access log.
package protocol HTTPServerObserver: Sendable {
    func requestFinished(_ record: RequestRecord)
    /// The system refused a new connection because it lacks file descriptors or memory. Called at most once a second;
    /// the server tries again.
    func acceptFailed(_ reason: String)
    /// A body was refused because `HTTPLimits.bodyBytesInAll` was reached.
    func bodyRefused()
}

/// Outcome of one request. It holds no secret: the query and the fields are left out.
package struct RequestRecord: Sendable {
    package enum Outcome: Sendable {
        /// The whole answer was handed to the system.
        case completed
        /// The connection ended before the answer: the peer left, a deadline passed, or the server stopped.
        case aborted
        /// The client left while it waited for an answer. `status` is 499.
        case clientLeft
    }

    /// Expected kind of wait. Held and streamed requests do not measure the server's speed.
    package enum Manner: Sendable {
        case immediate
        /// The request asked to be held (`Prefer: wait`, RFC 7240).
        case held
        case streamed
    }

    /// Same as `Request.id` and `X-Request-Id`.
    package let id: String
    /// Empty if the head was unreadable.
    package let method: String
    /// The raw path without the query. Empty if the head was unreadable.
    package let path: String
    /// The queued status. 0 means that there was none.
    package let status: Int
    package let outcome: Outcome
    /// Time from the request line's arrival until the answer was sent.
    package let duration: Duration
    /// Body bytes received.
    package let requestBytes: Int
    /// Body bytes of the answer. For a stream, the bytes handed to the connection.
    package let responseBytes: Int
    /// The peer's IP address.
    package let remoteAddress: String
    /// Client of the request by `HTTPServerConfiguration.clientAddress`. Nil if that is nil or no handler saw the
    /// request.
    package let clientAddress: String?
    package var manner = Manner.immediate
}
