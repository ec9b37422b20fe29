package import Localization
package import OAuthWire

/// A reason why the hosted pages cannot go on. It is shown to the person and never sent to the client: either the client
/// is not proven, or the answer belongs to another browser (RFC 6749 clause 4.1.2.1).
package struct AuthorizationPageFailure: Error, Sendable, Equatable {
    package enum Reason: Sendable {
        case unknownClient
        /// Not registered, or left out by a client that has none or several.
        case redirectURI
        /// The redirect URI's origin is none of the client's `web_origins`, which an answer by message needs.
        case webOrigin
        case grantNotAllowed
        /// A `request_uri` that is unknown, used, expired or another client's.
        case requestURI
        /// The login is over, expired or began in another browser.
        case transaction
        /// Another tab went on with the login meanwhile: opening its page again shows its step.
        case superseded
        /// An `id_token_hint` or a URL to return to that a logout cannot accept.
        case logout
        /// A link that works once, and is used, expired or unknown.
        case ticket
        /// So many logins were begun, or links opened, from the address, or the person did so much, that no more is
        /// admitted for a while.
        case tooManyRequests
    }

    package let reason: Reason
    /// Code for the developers of the application (RFC 6749 clause 4.1.2.1). Nil if the application's request was right.
    package var code: OAuthError.Code? {
        switch reason {
        case .unknownClient, .redirectURI, .webOrigin, .requestURI, .logout: .invalidRequest
        case .grantNotAllowed: .unauthorizedClient
        case .transaction, .superseded, .ticket, .tooManyRequests: nil
        }
    }

    package let text: LocalizedText
    /// For the log only.
    package var detail: String?
    /// Seconds to wait.
    package private(set) var retryAfter: Int?

    init(_ reason: Reason, _ text: LocalizedText, detail: String? = nil) {
        self.reason = reason
        self.text = text
        self.detail = detail
    }

    static let noTransaction = AuthorizationPageFailure(.transaction, localized.failure.page.loginOver)

    /// The request was accepted when it came. Since then the client lost a right that the request needs.
    static func withdrawn(_ error: OAuthError) -> AuthorizationPageFailure {
        AuthorizationPageFailure(
            .transaction,
            localized.failure.page.withdrawn, detail: "\(error.code.rawValue): \(error.description.text)")
    }

    static let superseded = AuthorizationPageFailure(.superseded, localized.failure.page.superseded)

    static let unknownTicket = AuthorizationPageFailure(.ticket, localized.failure.page.usedTicket)
    static let unknownEnrollmentTicket = AuthorizationPageFailure(.ticket, localized.failure.page.usedEnrollment)

    static func tooManyLogins(retryAfter: Int) -> AuthorizationPageFailure {
        tooMany(localized.failure.page.tooManyLogins(retryAfter), retryAfter)
    }

    static func tooManyVisits(retryAfter: Int) -> AuthorizationPageFailure {
        tooMany(localized.failure.tooManyFromAddress(retryAfter), retryAfter)
    }

    /// The person's budget of actions is used up.
    package static func tooManyActions(retryAfter: Int) -> AuthorizationPageFailure {
        tooMany(localized.failure.page.tooManyActions(retryAfter), retryAfter)
    }

    private static func tooMany(_ text: LocalizedText, _ retryAfter: Int) -> AuthorizationPageFailure {
        var failure = AuthorizationPageFailure(.tooManyRequests, text)
        failure.retryAfter = retryAfter
        return failure
    }

    /// RFC 9700 clause 4.7: the request was not begun in this browser, or not from a page of this server.
    package static let foreignBrowser = AuthorizationPageFailure(.transaction, localized.failure.page.foreignBrowser)
}
