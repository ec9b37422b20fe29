/// What a handler answers.
public struct Response: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// A body that grows while the connection is open (Server-Sent Events). The server sends each element as it
        /// comes, ends the response when the sequence ends, and cancels the iteration when the peer goes away.
        case stream(AsyncStream<[UInt8]>)
    }

    /// The status code (RFC 9110 clause 15).
    public var status: Int
    public var fields: HTTPFields
    public var body: Body

    public init(status: Int, fields: HTTPFields = [:], body: Body = .bytes([])) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// Something that answers requests. The server cancels the handler's task when the peer goes away.
public typealias Handler = @Sendable (Request) async -> Response

/// Answers what needs no waiting; nil leaves the request, of which nothing was done, to a `Handler`. It runs on the
/// thread that read the request and must not block.
public typealias PromptHandler = @Sendable (Request) -> Response?
