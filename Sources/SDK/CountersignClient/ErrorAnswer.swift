import HTTPModel
import OAuthWire
import Primitives

/// A response other than 200, read as OAuth's error format if possible (RFC 6749 clause 5.2).
struct ErrorAnswer {
    /// Nil means that the code is missing or unknown.
    let code: OAuthError.Code?
    /// Seconds from the body.
    let interval: Duration?
    /// Seconds from the header. Dates are ignored (RFC 9110 clause 10.2.3).
    let retryAfter: Duration?
    /// The server held the request as `Prefer: wait` asked (RFC 7240 clause 3).
    let wasHeld: Bool
    private let status: Int
    private let name: String?
    private let text: String
    /// The user's reason for the rejection.
    private let reason: String?

    init(_ response: ClientResponse) {
        let body = try? JSONReader.parse(response.body)
        status = response.status
        name = body?["error"]?.stringValue
        code = name.flatMap(OAuthError.Code.init(rawValue:))
        text = body?["error_description"]?.stringValue ?? name ?? "HTTP status \(response.status)"
        reason = body?["reason"]?.stringValue
        interval = body?["interval"]?.intValue.flatMap(Self.duration)
        retryAfter = response.fields["Retry-After"].flatMap { Int($0) }.flatMap(Self.duration)
        wasHeld = response.fields.values(of: "Preference-Applied").contains { $0.lowercased().contains("wait") }
    }

    /// Limits the time to the maximum lifetime of a request.
    private static func duration(_ seconds: Int) -> Duration? {
        seconds < 0 ? nil : .seconds(min(seconds, BackchannelAuthenticationRequest.expiryRange.upperBound))
    }

    /// The error of a request to start (CIBA Core 13).
    var startError: CountersignError {
        // Auth0 has no code for this. The text starts the same on every server with its dialect.
        if code == .invalidRequest, text.hasPrefix("No eligible notification channels") {
            return .noEligibleDevice(description: text)
        }
        // No user has been asked yet, so this means that the client may not ask.
        if code == .accessDenied { return .clientRejected(text) }
        return commonError
    }

    /// The error of a poll (CIBA Core 11).
    var pollError: CountersignError {
        switch code {
        case .accessDenied where status != 401: .denied(reason: reason)
        case .expiredToken: .expired
        case .transactionFailed: .undelivered(description: text)
        default: commonError
        }
    }

    /// The error of a refresh (RFC 6749 clause 5.2).
    var refreshError: CountersignError { code == .invalidGrant ? .loginAgain : commonError }

    /// The error of another endpoint with client authentication.
    var commonError: CountersignError {
        if status == 429 || code == .tooManyRequests { return .rateLimited(retryAfter: retryAfter) }
        // RFC 9110 clause 15.5.9 and RFC 8470 clause 5.2: the same request may succeed the next time.
        if status >= 500 || status == 408 || status == 425 || code == .serverError || code == .temporarilyUnavailable {
            return .network(text)
        }
        guard name != nil else {
            return .protocolViolation("the server answered with status \(status) and no OAuth error")
        }
        if status == 401 { return .clientRejected(text) }
        switch code {
        case .unknownUserID: return .userUnknown
        case .invalidBindingMessage: return .invalidBindingMessage(text)
        case .invalidAuthorizationDetails: return .invalidAuthorizationDetails(text)
        case .invalidClient, .unauthorizedClient: return .clientRejected(text)
        default: return .invalidRequest(text)
        }
    }
}
