public import Foundation
import HTTPModel

/// Called before each start of a call is sent, on any thread.
public typealias OnRequestEvent = @Sendable (RequestEvent) -> Void
/// Called for a response with any status, on any thread.
public typealias OnResponseEvent = @Sendable (ResponseEvent) -> Void
/// Called with the error that the call then throws, on any thread.
public typealias OnErrorEvent = @Sendable (any Error) -> Void

/// A request that is about to be sent. Its fields hold tokens: do not log them.
public struct RequestEvent: Sendable {
    public let method: String
    public let url: String
    /// Fields with their tokens. If a field is repeated, this has its first value.
    public let headers: [String: String]
    public let body: Data?

    init(_ request: ClientRequest) {
        method = request.method.rawValue
        url = request.url
        headers = Dictionary(request.fields.map { ($0.name, $0.value) }) { first, _ in first }
        body = request.body.map { Data($0) }
    }
}

/// A response with any status.
public struct ResponseEvent: Sendable {
    public let statusCode: Int
    /// If a field is repeated, this has its first value.
    public let headers: [String: String]
    /// The body. Nil if it is empty.
    public let data: Data?
    /// Nil means that the server did not state it.
    public let rateLimit: RateLimit?
    let mediaType: String?

    init(_ response: ClientResponse) {
        statusCode = response.status
        headers = Dictionary(response.fields.map { ($0.name, $0.value) }) { first, _ in first }
        data = response.body.isEmpty ? nil : Data(response.body)
        rateLimit = RateLimit(response.fields)
        mediaType = Self.mediaType(response.fields)
    }

    /// The media type without its parameters, in lower case (RFC 9110 clause 8.3.1).
    static func mediaType(_ fields: HTTPFields) -> String? {
        fields["Content-Type"]?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }
}

/// The server's rate limit: the fields `X-RateLimit-Limit`, `-Remaining` and `-Reset`.
public struct RateLimit: Sendable, Hashable {
    /// Maximum number of calls in one window of time.
    public let limit: Int
    /// Calls that are left in this window.
    public let remaining: Int
    /// Beginning of the next window.
    public let resetAt: Date

    /// Nil unless all three fields contain numbers.
    init?(_ fields: HTTPFields) {
        func number(_ name: String) -> Int? { fields["X-RateLimit-\(name)"].flatMap { Int($0) } }
        guard let limit = number("Limit"), let remaining = number("Remaining"), let reset = number("Reset") else {
            return nil
        }
        self.limit = limit
        self.remaining = remaining
        resetAt = Date(timeIntervalSince1970: TimeInterval(reset))
    }
}

struct RequestObservers: Sendable {
    var request: OnRequestEvent?
    var response: OnResponseEvent?
    var error: OnErrorEvent?
    var mapError: (@Sendable (ResponseEvent) -> (any Error)?)?
}
