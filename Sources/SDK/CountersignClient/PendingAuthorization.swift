public import Foundation
import OAuthWire

/// A request that was started and waits for the person. Keep it to go on polling after a restart; whoever has it and
/// the client's credentials can fetch the tokens.
public struct PendingAuthorization: Sendable, Codable, Equatable {
    /// `auth_req_id` (CIBA Core 7.3).
    public let authReqID: String
    /// How long the person has, in seconds from the start.
    public let expiresIn: Int
    /// The seconds between two polls that the server asked for.
    public let interval: Int
    public let expiresAt: Date
    /// Whom the tokens must be about.
    public let user: String
    /// What was asked for.
    public let scope: [String]

    /// `interval` as far as it can be kept to.
    var pause: Duration { .seconds(Self.bounded(interval)) }

    /// Nobody waits longer than a request can live, nor less than a second.
    static func bounded(_ interval: Int) -> Int {
        min(max(interval, 1), BackchannelAuthenticationRequest.expiryRange.upperBound)
    }
}

/// What one look at a pending request found.
public enum AuthorizationState: Sendable {
    /// Nobody has answered yet; the next look is due after this time.
    case pending(nextPoll: Duration)
    /// The server wants longer pauses; the next look is due after this time.
    case slowDown(nextPoll: Duration)
    /// The server could not be reached; the next attempt is due after this time.
    case retrying(after: CountersignError, nextPoll: Duration)
    case approved(Tokens)
}
