public import PlatformFoundation
import Primitives

extension CountersignError {
    /// The next step. Nil means that there is none.
    public var recoverySuggestion: String? {
        switch self {
        case .denied, .cancelled, .cancelledByUser: nil
        case .expired: "Ask again, with a longer expiry if the user needs more time."
        case .userUnknown:
            "Name the user by id, the claim sub of the server's tokens, or by an e-mail address or phone number that exactly "
                + "one user has verified."
        case .noEligibleDevice: "Have the user enrol a phone, then ask again."
        case .undelivered: "Ask again later, or tell the user another way."
        case .rateLimited(nil): "Wait a minute, then try again."
        case .rateLimited: nil
        case .invalidRequest: "Correct the request and start again. The same request would fail again."
        case .invalidBindingMessage: "Change the binding message and start again."
        case .invalidAuthorizationDetails: "Compare the details with the types that the API has registered."
        case .clientRejected: "Check the client's id, its credentials, and its permissions at the server."
        case .network: "Check that the server is reachable, then try again."
        // The text already says what to do.
        case .tls: nil
        case .protocolViolation:
            "Check that the issuer is the server's, and that no other service answers at its address."
        case .tokenInvalid(let problem): problem.recoverySuggestion
        case .receiptInvalid: "Accept it as no proof, and ask the operator of the server for another one."
        case .accessDenied: "Log in again and agree to the application's request."
        case .loginRequired, .consentRequired, .interactionRequired: "Log in without prompt=none."
        case .authorizationFailed: "Correct the problem, then log in again."
        case .stateMismatch, .issuerMismatch: "Ignore the response and start another login."
        case .loginAgain: "Log in again."
        case .noBrowser: "Open the login page's address manually on this machine."
        case .storage: "Make the file or folder readable and writable, then try again."
        }
    }
}

extension TokenProblem: LocalizedError {
    /// The reason and the next step, for a log or a developer, in English and without secrets.
    public var errorDescription: String? { sentences(failureReason ?? "", recoverySuggestion) }

    public var failureReason: String? { "The token is not valid: \(reason)." }

    private var reason: String {
        switch self {
        case .malformed: "it is not a signed JWT, or cannot be read"
        case .algorithm(let name): "it is signed with \(name), which is not accepted"
        case .unknownKey: "the server has no key with its key ID"
        case .signature: "its signature does not match"
        case .type(let type): "its type is \(type ?? "missing"), which is not accepted here"
        case .issuer: "another server issued it"
        case .audience: "it is for another audience"
        case .authorizedParty: "it is for another client"
        case .subject: "it is about another user"
        case .nonce: "it belongs to another login"
        case .authenticationTime: "the person authenticated too long ago, or it does not state when"
        case .accessTokenHash: "it belongs to another access token"
        case .expired: "it has expired"
        case .notYetValid: "it is not valid yet"
        case .idToken: "it may be an ID token, which authorizes nothing"
        case .unconfirmed(let method): "it is bound to a key or certificate (\(method)) that the caller did not prove"
        case .confirmationMethod(let method): "it is bound by \(method), which is not supported here"
        case .notBound: "it is not bound to a key, but came with a proof for one"
        case .missing(let claim): "its claim \(claim) is missing or cannot be read"
        case .insufficientScope(let missing): "it lacks the scope \(missing.joined(separator: " "))"
        case .insufficientPermissions(let missing): "it lacks the permission \(missing.joined(separator: " "))"
        }
    }

    /// The next step. Nil means that the token should simply be refused.
    public var recoverySuggestion: String? {
        switch self {
        case .type(let type) where type?.lowercased() == "jwt":
            "An API with token_dialect access_token gets tokens in Auth0's dialect. Add it to dialects, or set the "
                + "API's token_dialect to rfc9068_profile."
        case .idToken: "Send the access token. An API must not have the same identifier as a client."
        case .algorithm: "Add the algorithm to algorithms if the server should sign with it."
        case .audience: "Ask for a token with the API's identifier as the audience."
        case .unconfirmed: "Pass the caller's proven certificate or key in proofs."
        case .expired: "Get another token."
        case .notYetValid: "Check this machine's clock."
        case .authenticationTime: "Have the person log in again."
        case .insufficientScope, .insufficientPermissions: "Request the missing scopes or permissions with the token."
        default: nil
        }
    }
}
