import HTTPModel
import OAuthWire
import Primitives

/// An answer other than 200, read as OAuth's error form (RFC 6749 clause 5.2) as far as it is one.
struct ErrorAnswer {
    /// Nil where the code is unknown here.
    let code: OAuthError.Code?
    /// Seconds, from the body.
    let interval: Duration?
    /// From the header, where it is in seconds (RFC 9110 clause 10.2.3).
    let retryAfter: Duration?
    /// The server held the request as `Prefer: wait` asked (RFC 7240 clause 3).
    let wasHeld: Bool
    private let status: Int
    private let name: String?
    private let text: String
    /// Why the person rejected the request, in their own words.
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

    /// Nobody waits longer than a request can live.
    private static func duration(_ seconds: Int) -> Duration? {
        seconds < 0 ? nil : .seconds(min(seconds, BackchannelAuthenticationRequest.expiryRange.upperBound))
    }

    /// What it means when a request was to be started (CIBA Core 13).
    var startError: CountersignError {
        // Auth0 has no code of its own for this; the text's beginning is the same on every server of its dialect.
        if code == .invalidRequest, text.hasPrefix("No eligible notification channels") {
            return .noEligibleDevice(description: text)
        }
        // Here nobody was asked yet, so nobody denied: the client may not do this.
        if code == .accessDenied { return .clientRejected(text) }
        return commonError
    }

    /// What it means when tokens were asked for (CIBA Core 11).
    var pollError: CountersignError {
        switch code {
        case .accessDenied where status != 401: .denied(reason: reason)
        case .expiredToken: .expired
        default: commonError
        }
    }

    /// What it means when tokens were to be refreshed (RFC 6749 clause 5.2).
    var refreshError: CountersignError { code == .invalidGrant ? .loginAgain : commonError }

    /// What it means at any other endpoint that clients authenticate at.
    var commonError: CountersignError {
        if status == 429 || code == .tooManyRequests { return .rateLimited(retryAfter: retryAfter) }
        // RFC 9110 clause 15.5.9 and RFC 8470 clause 5.2: the same request may succeed the next time.
        if status >= 500 || status == 408 || status == 425 || code == .serverError || code == .temporarilyUnavailable {
            return .network(text)
        }
        guard name != nil else { return .protocolViolation("the server answered \(status) without an OAuth error") }
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
