/// What an audit entry tells of the HTTP request it was made in, beside the peer's address. No rule depends on it, which
/// is why it is carried by the task and not by the arguments of every flow.
public struct RequestTrace: Sendable, Equatable {
    /// The `User-Agent`, at most `lengthLimit` bytes of it.
    public let userAgent: String?
    /// The caller's `X-Correlation-ID`, or else the name that this server gave the request.
    public let correlationID: String

    /// Callers may send what they like, and an entry is kept for ever.
    public static let lengthLimit = 256

    @TaskLocal public static var current: RequestTrace?

    public init(userAgent: String?, correlationID: String) {
        self.userAgent = userAgent.map(Self.bounded)
        self.correlationID = Self.bounded(correlationID)
    }

    private static func bounded(_ text: String) -> String {
        text.utf8.count <= lengthLimit ? text : String(decoding: text.utf8.prefix(lengthLimit), as: UTF8.self)
    }
}
