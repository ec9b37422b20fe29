public import PlatformFoundation
import Primitives

/// Failures of a client, grouped by the reaction that an app needs.
public enum CountersignError: Error, Sendable, Equatable {
    /// The user rejected the request. The reason, if any, is the user's own text: treat it as untrusted.
    case denied(reason: String?)
    /// Nobody answered in time. Start a new request if it still matters.
    case expired
    /// The server knows no such user.
    case userUnknown
    /// The user has no device or other way to be asked. The text is the server's.
    case noEligibleDevice(description: String)
    /// The request was sent, but no phone and no mailbox of the user took it. The text is the server's.
    case undelivered(description: String)
    /// Too many requests. Wait at least `retryAfter` if the server stated it.
    case rateLimited(retryAfter: Duration?)
    /// A parameter is wrong, or the request is unknown. The text says which and why.
    case invalidRequest(String)
    /// The binding message is too long, empty, or has characters that the tenant does not allow. The text says which.
    case invalidBindingMessage(String)
    /// Authorization details are not of a registered type, or do not fit its schema. The text says where.
    case invalidAuthorizationDetails(String)
    /// The client's credentials are wrong, or the client may not do this.
    case clientRejected(String)
    /// The server could not be reached, or it failed. A later attempt may succeed.
    case network(String)
    /// The server's certificate is not trusted, or the configured CA could not be read. Later attempts fail too until
    /// one of them changes.
    case tls(String)
    /// The server's response violates a specification. The text says how.
    case protocolViolation(String)
    /// A token is not valid.
    case tokenInvalid(TokenProblem)
    /// The task was cancelled.
    case cancelled

    // MARK: Login

    /// The person closed the browser before the login was complete.
    case cancelledByUser
    /// The person or a rule of the server refused the login (RFC 6749 clause 4.1.2.1). The text is the server's.
    case accessDenied(String)
    /// The request had `prompt=none`, and nobody is logged in (OIDC Core 3.1.2.6). Log in without it.
    case loginRequired
    /// The request had `prompt=none`, and the person has not consented yet (OIDC Core 3.1.2.6).
    case consentRequired
    /// The request had `prompt=none`, and the person has to do or choose something (OIDC Core 3.1.2.6).
    case interactionRequired
    /// Another error of the authorization endpoint, with its code (RFC 6749 clause 4.1.2.1).
    case authorizationFailed(code: String, description: String)
    /// The response belongs to another login (RFC 6749 clause 10.12). It was ignored.
    case stateMismatch
    /// The response names another issuer, or none although this server always names itself (RFC 9207 clause 2.4). It
    /// was ignored. The value is the issuer that it names.
    case issuerMismatch(String?)
    /// A receipt proves nothing. `rule` names the broken rule of docs/receipts.md, and the text says why.
    case receiptInvalid(rule: String, String)
    /// There are no credentials that the server still accepts. The person must log in again.
    case loginAgain
    /// No browser could be opened. The text says why.
    case noBrowser(String)
    /// Credentials could not be stored or read. The text says why.
    case storage(String)
}

/// The reason why a token is not valid.
public enum TokenProblem: Error, Sendable, Equatable {
    /// The token is not a signed JWT, or its claims cannot be read.
    case malformed
    /// `alg` is not accepted, or does not match the key.
    case algorithm(String)
    /// No published key has the token's `kid`.
    case unknownKey
    /// The signature does not match the published key with the token's `kid`.
    case signature
    /// The header `typ` belongs to another kind of token.
    case type(String?)
    /// `iss` is not the expected server.
    case issuer
    /// `aud` does not have this API or client.
    case audience
    /// `azp` is another client (OIDC Core 3.1.3.7 rules 4 and 5).
    case authorizedParty
    /// The token is about another user than expected.
    case subject
    /// `nonce` is not that of the login.
    case nonce
    /// The person authenticated longer ago than `max_age` allows, or `auth_time` is missing (OIDC Core 3.1.3.7 rule
    /// 13). Also: a refreshed token has another `auth_time` than the first (OIDC Core 12.2).
    case authenticationTime
    /// `at_hash` does not match the access token of the same response (OIDC Core 3.1.3.6).
    case accessTokenHash
    /// `exp` has passed, by more than 60 seconds.
    case expired
    /// `nbf` or `iat` is in the future, by more than 60 seconds.
    case notYetValid
    /// The token may be an ID token, which authorizes nothing (RFC 9068 clause 5).
    case idToken
    /// The token is bound by this method of `cnf`, and the caller did not prove to hold the key (RFC 8705 clause 3, RFC
    /// 9449 clause 7.1).
    case unconfirmed(String)
    /// The token is bound by a method of `cnf` that this SDK does not support (RFC 7800 clause 3.1).
    case confirmationMethod(String)
    /// The caller proved to hold a DPoP key, but the token is not bound to one (RFC 9449 clause 7.1).
    case notBound
    /// A required claim is missing.
    case missing(String)
    /// The token lacks these required scopes.
    case insufficientScope(missing: [String])
    /// The token lacks these required permissions.
    case insufficientPermissions(missing: [String])
}

extension CountersignError: LocalizedError {
    /// The reason and the next step, for a log or a person, in English and without secrets.
    public var errorDescription: String? { sentences(failureReason ?? "", recoverySuggestion) }

    public var failureReason: String? {
        switch self {
        case .denied(let reason?): "The request was rejected: \(reason)"
        case .denied(nil): "The request was rejected."
        case .expired: "Nobody answered the request in time."
        case .userUnknown: "The server knows no such user, or several."
        case .noEligibleDevice(let text): "The user cannot be asked: \(text)"
        case .undelivered(let text): "The request reached nobody: \(text)"
        case .rateLimited(let wait?): "Too many requests; wait \(wait.components.seconds) seconds."
        case .rateLimited(nil): "Too many requests."
        case .invalidRequest(let text): "The request is not valid: \(text)"
        case .invalidBindingMessage(let text), .invalidAuthorizationDetails(let text): text
        case .clientRejected(let text): "The server rejected the client: \(text)"
        case .network(let text): "The server could not be reached, or failed: \(text)"
        case .tls(let text): "No secure connection could be made: \(text)"
        case .protocolViolation(let text): "The server's response is not valid: \(text)"
        case .tokenInvalid(let problem): problem.failureReason
        case .receiptInvalid(let rule, let text): "The receipt is not valid: \(text) (\(rule))."
        case .cancelled: "Cancelled."
        case .cancelledByUser: "The login was cancelled."
        case .accessDenied(let text): "The login was refused: \(text)"
        case .loginRequired: "Nobody is logged in at the server."
        case .consentRequired: "The user has not consented yet."
        case .interactionRequired: "The user has to do something in the browser."
        case .authorizationFailed(let code, let text): "The server refused the login: \(text) (\(code))"
        case .stateMismatch: "The response belongs to another login."
        case .issuerMismatch(let issuer?): "The response is from \(issuer), which is not the expected server."
        case .issuerMismatch(nil): "The response does not name the server that sent it."
        case .loginAgain: "Nobody is logged in, or the login has ended."
        case .noBrowser(let text): "No browser could be opened: \(text)"
        case .storage(let text): "The credentials could not be stored or read: \(text)"
        }
    }
}
