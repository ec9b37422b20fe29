public import Foundation

/// Everything that can go wrong on the asking side, by what an app does about it.
public enum CountersignError: Error, Sendable, Equatable {
    /// The person said no.
    case denied
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
    /// The server's certificate is not trusted, or TLS failed otherwise.
    case tls(String)
    /// The server answered what the specifications do not allow. The text says what.
    case protocolViolation(String)
    /// A token must not be believed.
    case tokenInvalid(TokenProblem)
    /// The task was cancelled.
    case cancelled
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
    /// The access token beside it is not the one it vouches for (OIDC Core 3.1.3.6).
    case accessTokenHash
    case expired
    case notYetValid
    /// A claim that must be there is missing.
    case missing(String)
    /// These scopes are needed and not granted.
    case insufficientScope(missing: [String])
    /// These permissions are needed and not granted.
    case insufficientPermissions(missing: [String])
}

extension CountersignError: LocalizedError {
    /// A sentence for a log or a person, in English, without secrets.
    public var errorDescription: String? {
        switch self {
        case .denied: "The request was rejected."
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
        case .tokenInvalid(let problem): "The token is not valid: \(problem)"
        case .cancelled: "Cancelled."
        }
    }
}
