/// Answer of a handler.
package struct Response: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// A body that grows while the connection is open (Server-Sent Events). The server sends each element at once,
        /// ends the response when the sequence ends, and cancels the iteration when the peer leaves.
        case stream(AsyncStream<[UInt8]>)
        /// A long body, read part by part: the next part when the client has taken the one before. Nil ends it. A failure
        /// ends the connection before the body's end, so that nobody takes the beginning for the whole.
        case parts(@Sendable () async throws -> [UInt8]?)
    }

    /// The status code (RFC 9110 clause 15).
    package var status: Int
    package var fields: HTTPFields
    package var body: Body

    package init(status: Int, fields: HTTPFields = [:], body: Body = .bytes([])) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// Answers requests. The server cancels the handler's task when the peer leaves.
package typealias Handler = @Sendable (Request) async -> Response

/// Answers a request that needs no waiting. Nil leaves the request, unchanged, to a `Handler`. It runs on the
/// thread that read the request and must not block.
package typealias SynchronousHandler = @Sendable (Request) -> Response?

/// Decides about a large body by the request without it. Runs on the thread that read the head, and must not block.
package typealias LargeBodyRule = @Sendable (Request) -> LargeBody

package enum LargeBody: Sendable {
    /// The body may be as large as the server's limit.
    case taken
    /// The body is answered 413.
    case tooLarge
    /// The body is read and thrown away, and the request gets this answer.
    case refused(Response)
}
