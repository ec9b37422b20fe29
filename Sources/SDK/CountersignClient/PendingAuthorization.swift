import OAuthWire
public import PlatformFoundation

/// A started request that waits for the user's answer. Store it to continue polling after a restart. Anybody with it
/// and the client's credentials can fetch the tokens.
public struct PendingAuthorization: Sendable, Codable, Equatable {
    /// `auth_req_id` (CIBA Core 7.3).
    public let authReqID: String
    /// Lifetime in seconds from the start.
    public let expiresIn: Int
    /// Seconds between two polls, as requested by the server.
    public let interval: Int
    /// End of the request: the start by this machine's clock, and ``expiresIn``.
    public let expiresAt: Date
    /// The user as the request named them. If that is an id, the tokens must be about that user.
    public let user: String
    /// Page on which the user, logged in, sees the request and may answer: for a link in a chat, or for this device.
    /// Nil from servers without such a page.
    public let approvalURI: URL?
    /// Number that the client must show, because the person picks it among three on the phone. Nil if none is picked.
    public let matchingCode: String?
    /// Requested scopes.
    public let scope: [String]

    /// `interval` within usable bounds.
    var pause: Duration { .seconds(Self.bounded(interval)) }

    /// Limits an interval to at least a second and at most a request's maximum lifetime.
    static func bounded(_ interval: Int) -> Int {
        min(max(interval, 1), BackchannelAuthenticationRequest.expiryRange.upperBound)
    }
}

/// Result of one poll.
public enum AuthorizationState: Sendable {
    /// Nobody has answered yet. Poll again after this time.
    case pending(nextPoll: Duration)
    /// The server asks for longer pauses. Poll again after this time.
    case slowDown(nextPoll: Duration)
    /// The server could not be reached. The next attempt follows after this time.
    case retrying(after: CountersignError, nextPoll: Duration)
    /// The user allowed the request. The tokens are verified, and the server does not give them again.
    case approved(Tokens)
}
