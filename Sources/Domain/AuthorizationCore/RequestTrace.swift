/// Facts about the HTTP request of an audit entry, beside the peer's address. No rule depends on them.
package struct RequestTrace: Sendable, Equatable {
    /// The `User-Agent`, at most 256 bytes of it.
    package let userAgent: String?
    /// The caller's `X-Correlation-ID`, or else this server's id of the request. At most 64 bytes.
    package let correlationID: String

    /// Maximum bytes kept: callers choose the value, and entries are never deleted.
    static let userAgentLimit = 256
    static let correlationLimit = 64

    package init(userAgent: String?, correlationID: String) {
        self.userAgent = userAgent.map { Self.beginning($0, Self.userAgentLimit) }
        self.correlationID = Self.beginning(correlationID, Self.correlationLimit)
    }

    private static func beginning(_ text: String, _ limit: Int) -> String {
        text.utf8.count <= limit ? text : String(decoding: text.utf8.prefix(limit), as: UTF8.self)
    }
}
