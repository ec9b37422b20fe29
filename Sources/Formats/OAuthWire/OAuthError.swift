package import Primitives

/// An OAuth error (RFC 6749 clause 5.2, CIBA Core 11 and 13): a code for programs, a text for developers, and a private
/// detail for the log.
package struct OAuthError: Error, Sendable, Equatable {
    package enum Code: String, Sendable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case invalidScope = "invalid_scope"
        /// RFC 8707 clause 2: the audience is unknown or not allowed.
        case invalidTarget = "invalid_target"
        /// RFC 9396 clause 5.
        case invalidAuthorizationDetails = "invalid_authorization_details"
        /// CIBA Core 13.
        case invalidBindingMessage = "invalid_binding_message"
        /// CIBA Core 13, in Auth0's spelling.
        case unknownUserID = "unknown_user_id"
        case accessDenied = "access_denied"
        /// CIBA Core 11.
        case authorizationPending = "authorization_pending"
        case slowDown = "slow_down"
        case expiredToken = "expired_token"
        /// CIBA Core 12.
        case transactionFailed = "transaction_failed"
        case invalidToken = "invalid_token"
        /// RFC 7009 clause 2.2.1.
        case unsupportedTokenType = "unsupported_token_type"
        /// RFC 6750 clause 3.1.
        case insufficientScope = "insufficient_scope"
        /// RFC 6749 clause 4.1.2.1.
        case unsupportedResponseType = "unsupported_response_type"
        /// OIDC Core 3.1.2.6.
        case loginRequired = "login_required"
        case consentRequired = "consent_required"
        case interactionRequired = "interaction_required"
        /// OpenID Connect Core Error Code unmet_authentication_requirements 1.0.
        case unmetAuthenticationRequirements = "unmet_authentication_requirements"
        case requestNotSupported = "request_not_supported"
        case registrationNotSupported = "registration_not_supported"
        case tooManyRequests = "too_many_requests"
        case methodNotAllowed = "method_not_allowed"
        case notFound = "not_found"
        case serverError = "server_error"
        case temporarilyUnavailable = "temporarily_unavailable"
    }

    package let code: Code
    package let description: ErrorDescription
    /// For the log only; never sent.
    package var detail: String?
    /// True if the audit log has an entry of the refusal.
    package var isNoted = false
    /// HTTP status of a request that the listener refused. Nil takes the code's.
    package var listenerStatus: Int?
    /// Seconds for `Retry-After`.
    package var retryAfter: Int?
    /// Seconds for the body's `interval`, sent with `slow_down`.
    package var interval: Int?
    /// Seconds for `Preference-Applied: wait` (RFC 7240): maximum hold of this request.
    package var appliedWait: Int?
    /// The body's `reason`, sent with `access_denied`: the user's own text, in any characters.
    package var reason: String?
    /// Values of `x-ratelimit-*`, sent with `too_many_requests`.
    package var rateLimit: RateLimit?

    package struct RateLimit: Sendable, Equatable {
        package let limit: Int
        package let remaining: Int
        /// Seconds since 1970.
        package let reset: Int64
    }

    package init(_ code: Code, _ description: ErrorDescription, detail: String? = nil) {
        self.code = code
        self.description = description
        self.detail = detail
    }

    /// HTTP status: 400 (RFC 6749 clause 5.2), except for codes with their own.
    package var status: Int {
        if let listenerStatus { return listenerStatus }
        return switch code {
        case .invalidClient, .invalidToken: 401
        case .insufficientScope: 403
        case .tooManyRequests: 429
        case .methodNotAllowed: 405
        case .notFound: 404
        case .serverError: 500
        case .temporarilyUnavailable: 503
        default: 400
        }
    }
}

extension OAuthError {
    /// A limit is reached. `retryAfter` is in seconds.
    package static func tooManyRequests(
        limit: Int, retryAfter: Int, now: Timestamp, _ description: ErrorDescription
    ) -> OAuthError {
        var error = OAuthError(.tooManyRequests, description)
        error.retryAfter = retryAfter
        error.rateLimit = RateLimit(limit: limit, remaining: 0, reset: now.seconds + Int64(retryAfter))
        return error
    }

    package static func missing(_ parameter: String) -> OAuthError {
        OAuthError(.invalidRequest, "Missing required parameter: \(parameter)")
    }
}
