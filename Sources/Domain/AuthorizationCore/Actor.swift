public import Primitives

/// Who changes a configuration or looks after users, for the audit log.
public struct Actor: Sendable, Equatable {
    public enum Kind: Sendable, Equatable {
        /// By a token of its own.
        case client(ClientID)
        /// A person at the server's command line, by the name that the system knows them by.
        case commandLine(user: String)
    }

    public let kind: Kind
    /// The peer's address.
    public var remoteAddress: String?
    public var userAgent: String?
    /// What the request is called in logs, and what its sender calls it.
    public var requestID: String?
    public var correlationID: String?

    public init(
        _ kind: Kind, remoteAddress: String? = nil, userAgent: String? = nil, requestID: String? = nil,
        correlationID: String? = nil
    ) {
        self.kind = kind
        self.remoteAddress = remoteAddress
        self.userAgent = userAgent
        self.requestID = requestID
        self.correlationID = correlationID
    }
}
