public import Foundation
import Primitives

/// Everything that can go wrong on the client's side, by what an app does about it.
public enum CountersignError: Error, Sendable, Equatable {
    /// The person said no. The reason is in their own words, where they gave one: show it as text from outside.
    case denied(reason: String?)
    /// Nobody answered in time. Start again if it still matters.
    case expired
    /// The server knows no such user.
    case userUnknown
    /// The user has no device, or no other way, to be asked. The text is the server's.
    case noEligibleDevice(description: String)
    /// Asked too often; wait at least that long, where the server said how long.
    case rateLimited(retryAfter: Duration?)
    /// A parameter is wrong, or the request is no longer known. The text says which and why.
    case invalidRequest(String)
    case invalidBindingMessage(String)
    case invalidAuthorizationDetails(String)
    /// The client's credentials are wrong, or it may not do this.
    case clientRejected(String)
    /// The server could not be reached, or failed. Trying again later may help.
    case network(String)
    /// The server's certificate is not trusted, or the CA that is named could not be read. Nothing helps until one of
    /// them is changed.
    case tls(String)
    /// The server answered what the specifications do not allow. The text says what.
    case protocolViolation(String)
    /// A token must not be believed.
    case tokenInvalid(TokenProblem)
    /// The task was cancelled.
    case cancelled

    // MARK: Logging in

    /// The person closed the browser before the end.
    case cancelledByUser
    /// The person, or a rule of the server's, refused (RFC 6749 clause 4.1.2.1). The text is the server's.
    case accessDenied(String)
    /// `prompt=none` was asked for, and nobody is logged in (OIDC Core 3.1.2.6). Log in without it.
    case loginRequired
    /// `prompt=none` was asked for, and the person has not consented yet (OIDC Core 3.1.2.6).
    case consentRequired
    /// `prompt=none` was asked for, and the person has something to do or to choose (OIDC Core 3.1.2.6).
    case interactionRequired
    /// Any other refusal of the authorization endpoint's, with its code (RFC 6749 clause 4.1.2.1).
    case authorizationFailed(code: String, description: String)
    /// The answer belongs to another login than this one (RFC 6749 clause 10.12). Nothing of it was used.
    case stateMismatch
    /// The answer is another server's, or does not say whose it is although this one always does (RFC 9207
    /// clause 2.4). Nothing of it was used. Holds the issuer it named.
    case issuerMismatch(String?)
    /// There are no credentials, or none that the server still takes: the person must log in again.
    case loginAgain
    /// No browser could be shown. The text says why.
    case noBrowser(String)
    /// Credentials could not be stored or read. The text says why.
    case storage(String)
}

/// Why a token is not to be believed.
public enum TokenProblem: Error, Sendable, Equatable {
    case malformed
    /// `alg` is not in the allow-list, or does not fit the key.
    case algorithm(String)
    /// No published key has the token's `kid`.
    case unknownKey
    case signature
    /// The `typ` header is another kind of token's.
    case type(String?)
    case issuer
    case audience
    /// `azp` is another client (OIDC Core 3.1.3.7 rules 4 and 5).
    case authorizedParty
    /// The token is about another user than the one asked for.
    case subject
    case nonce
    /// The person authenticated longer ago than `max_age` allows, or `auth_time` does not say when (OIDC Core
    /// 3.1.3.7 rule 13); or a refreshed token tells another time than the first (OIDC Core 12.2).
    case authenticationTime
    /// The access token beside it is not the one it vouches for (OIDC Core 3.1.3.6).
    case accessTokenHash
    case expired
    case notYetValid
    /// The token may be an ID token, which tells a client who logged in and authorizes nothing (RFC 9068 clause 5).
    case idToken
    /// The token is bound by this method of `cnf`, and the caller did not prove to hold that key (RFC 8705 clause 3,
    /// RFC 9449 clause 7.1).
    case unconfirmed(String)
    /// The token is bound in a way that is not known here (RFC 7800 clause 3.1). Holds the method of `cnf`.
    case confirmationMethod(String)
    /// The caller proved to hold a DPoP key, and the token is bound to none (RFC 9449 clause 7.1).
    case notBound
    /// A claim that must be there is missing.
    case missing(String)
    /// These scopes are needed and not granted.
    case insufficientScope(missing: [String])
    /// These permissions are needed and not granted.
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
        case .userUnknown: "The server knows no such user."
        case .noEligibleDevice(let text): "The user cannot be asked: \(text)"
        case .rateLimited(let wait?): "Too many requests; wait \(wait.components.seconds) seconds."
        case .rateLimited(nil): "Too many requests."
        case .invalidRequest(let text): "The request is not valid: \(text)"
        case .invalidBindingMessage(let text), .invalidAuthorizationDetails(let text): text
        case .clientRejected(let text): "The server rejected the client: \(text)"
        case .network(let text): "The server could not be reached, or failed: \(text)"
        case .tls(let text): "No secure connection: \(text)"
        case .protocolViolation(let text): "The server's answer is not valid: \(text)"
        case .tokenInvalid(let problem): problem.failureReason
        case .cancelled: "Cancelled."
        case .cancelledByUser: "The login was cancelled."
        case .accessDenied(let text): "The login was refused: \(text)"
        case .loginRequired: "Nobody is logged in at the server."
        case .consentRequired: "The user has not consented yet."
        case .interactionRequired: "The user has to do something in the browser."
        case .authorizationFailed(let code, let text): "The server refused the login: \(text) (\(code))"
        case .stateMismatch: "The answer belongs to another login."
        case .issuerMismatch(let issuer?): "The answer is from \(issuer), which was not asked."
        case .issuerMismatch(nil): "The answer does not say which server it is from."
        case .loginAgain: "Nobody is logged in, or no longer; log in again."
        case .noBrowser(let text): "No browser could be shown: \(text)"
        case .storage(let text): "The credentials could not be stored or read: \(text)"
        }
    }
}
