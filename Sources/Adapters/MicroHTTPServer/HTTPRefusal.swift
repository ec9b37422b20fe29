package import HTTPModel
import Primitives

/// Refusal of a request that no handler saw, or whose handler missed its deadline.
package struct HTTPRefusal: Error, Sendable, Equatable {
    package let status: Int
    /// OAuth error code (RFC 6749 clause 5.2): `invalid_request` for faults of the client, `temporarily_unavailable` or
    /// `server_error` for faults of the server.
    package let error: String
    /// The required change.
    package let description: String

    /// `{"error", "error_description"}`, not to be cached.
    package var jsonResponse: Response {
        var writer = JSONWriter()
        writer.object {
            $0.member("error", error)
            $0.member("error_description", description)
        }
        var fields: HTTPFields = ["Content-Type": "application/json", "Cache-Control": "no-store"]
        // Tells clients when to repeat the request (RFC 9110 clause 10.2.3).
        if status == 503 { fields.append("Retry-After", "1") }
        return Response(status: status, fields: fields, body: .bytes(writer.bytes))
    }

    static func malformed(_ description: String) -> HTTPRefusal {
        HTTPRefusal(status: 400, error: "invalid_request", description: description)
    }

    static func bodyTooLarge(limit: Int) -> HTTPRefusal {
        HTTPRefusal(
            status: 413, error: "invalid_request",
            description: "The request body is larger than the \(limit) bytes that this server accepts here.")
    }

    static func targetTooLong(limit: Int) -> HTTPRefusal {
        HTTPRefusal(
            status: 414, error: "invalid_request",
            description: "The request target is longer than \(limit) bytes; send the parameters in the body.")
    }

    static func headTooLarge(limit: Int) -> HTTPRefusal {
        HTTPRefusal(
            status: 431, error: "invalid_request",
            description: "The request line and header fields are larger than the \(limit) bytes accepted here.")
    }

    static let lengthRequired = HTTPRefusal(
        status: 411, error: "invalid_request",
        description: "Send the body with Content-Length, not with Transfer-Encoding.")
    static let unsupportedVersion = HTTPRefusal(
        status: 505, error: "invalid_request", description: "This server speaks HTTP/1.1.")
    static let noRoomForBody = HTTPRefusal(
        status: 503, error: "temporarily_unavailable",
        description: "The server holds as many large request bodies as it may; try again in a moment.")
    static let unreadable = malformed("The request cannot be read (RFC 9112).")

    /// Replaces the library's own answer, which has this status, to an unreadable head.
    static func unreadable(status: Int, limits: HTTPLimits) -> HTTPRefusal {
        switch status {
        case 413: bodyTooLarge(limit: limits.bodyBytes)
        case 414: targetTooLong(limit: limits.targetBytes)
        case 431: headTooLarge(limit: limits.headBytes)
        case 500: unusableResponse
        case 505: unsupportedVersion
        default: unreadable
        }
    }

    static let expectationFailed = HTTPRefusal(
        status: 417, error: "invalid_request", description: "The only expectation this server meets is 100-continue.")
    static let deadlinePassed = HTTPRefusal(
        status: 503, error: "temporarily_unavailable",
        description: "The server could not answer in time; try again later.")
    static let stopping = HTTPRefusal(
        status: 503, error: "temporarily_unavailable", description: "The server is stopping; try again.")
    static let unusableResponse = HTTPRefusal(
        status: 500, error: "server_error", description: "The server could not form its answer.")
}
