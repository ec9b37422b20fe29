import HTTPModel

extension HTTPRefusal {
    static func malformed(_ description: String) -> HTTPRefusal { HTTPRefusal(status: 400, description: description) }

    static func bodyTooLarge(limit: Int) -> HTTPRefusal {
        HTTPRefusal(
            status: 413,
            description: "The request body is larger than the \(limit) bytes that this server accepts here.")
    }

    static func targetTooLong(limit: Int) -> HTTPRefusal {
        HTTPRefusal(
            status: 414,
            description: "The request target is longer than \(limit) bytes; send the parameters in the body.")
    }

    static func headTooLarge(limit: Int) -> HTTPRefusal {
        HTTPRefusal(
            status: 431,
            description: "The request line and header fields are larger than the \(limit) bytes accepted here.")
    }

    static let lengthRequired = HTTPRefusal(
        status: 411, description: "Send the body with Content-Length, not with Transfer-Encoding.")
    static let unsupportedVersion = HTTPRefusal(status: 505, description: "This server speaks HTTP/1.1.")
    static let noRoomForBody = HTTPRefusal(
        status: 503, description: "The server holds as many large request bodies as it may; try again in a moment.")
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
        status: 417, description: "The only expectation this server meets is 100-continue.")
    static let deadlinePassed = HTTPRefusal(
        status: 503, description: "The server could not answer in time; try again later.")
    static let stopping = HTTPRefusal(status: 503, description: "The server is stopping; try again.")
    static let unusableResponse = HTTPRefusal(status: 500, description: "The server could not form its answer.")
}
