/// Port for all outgoing HTTP requests.
public protocol HTTPClient: Sendable {
    /// Sends a request and reads the whole answer. Redirects are not followed.
    func send(_ request: ClientRequest) async throws(HTTPClientError) -> ClientResponse

    /// Sends a request, and returns the head at once and the body as it arrives. Cancelling the task that iterates the
    /// body closes the connection.
    func stream(_ request: ClientRequest) async throws(HTTPClientError) -> StreamingResponse
}

public struct ClientRequest: Sendable {
    public var method: HTTPMethod
    /// An absolute `http` or `https` URL.
    public var url: String
    public var fields: HTTPFields
    public var body: [UInt8]?
    /// Maximum time of the whole exchange. Nil means no limit (streams).
    public var timeout: Duration?

    public init(
        method: HTTPMethod, url: String, fields: HTTPFields = [:], body: [UInt8]? = nil,
        timeout: Duration? = .seconds(30)
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeout = timeout
    }
}

public struct ClientResponse: Sendable {
    public var status: Int
    public var fields: HTTPFields
    public var body: [UInt8]

    public init(status: Int, fields: HTTPFields, body: [UInt8]) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

public struct StreamingResponse: Sendable {
    public var status: Int
    public var fields: HTTPFields
    public var body: AsyncThrowingStream<[UInt8], any Error>

    public init(status: Int, fields: HTTPFields, body: AsyncThrowingStream<[UInt8], any Error>) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}

/// Reason that there was no answer. The text helps a person to act, and never holds a secret.
public enum HTTPClientError: Error, Sendable, Equatable {
    case invalidURL(String)
    case cannotConnect(String)
    case tls(String)
    /// The server's certificate is untrusted, or the CA's unreadable. No retry helps until one of them is changed.
    case untrusted(String)
    case timedOut
    case cancelled
    case tooLarge(limit: Int)
    case other(String)
}

extension HTTPClientError {
    /// The reason for a person.
    package var text: String {
        switch self {
        case .invalidURL(let text), .cannotConnect(let text), .tls(let text), .untrusted(let text), .other(let text):
            text
        case .timedOut: "The server did not answer in time"
        case .cancelled: "The request was cancelled"
        case .tooLarge(let limit): "The response is longer than \(limit) bytes"
        }
    }
}
