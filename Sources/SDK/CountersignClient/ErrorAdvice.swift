public import Foundation
import Primitives

extension CountersignError {
    /// The next step; nil where there is none.
    public var recoverySuggestion: String? {
        switch self {
        case .denied, .cancelled, .cancelledByUser: nil
        case .expired: "Ask again, with a longer expiry if the person needs more time."
        case .userUnknown: "Check the user's id; it is the sub of the server's tokens."
        case .noEligibleDevice: "Have the user enrol a phone, then ask again."
        case .rateLimited(nil): "Wait a minute, then try again."
        case .rateLimited: nil
        case .invalidRequest: "Change what the text names, and start anew: the same request fails again."
        case .invalidBindingMessage: "Change the binding message, and start anew."
        case .invalidAuthorizationDetails: "Compare the details with the types that the API has registered."
        case .clientRejected: "Check the client's id and credentials, and what the server lets it do."
        case .network: "Check that the server is reachable, then try again."
        // Its text ends in what to do.
        case .tls: nil
        case .protocolViolation:
            "Check that the issuer is the server's, and that nothing before it answers in its place."
        case .tokenInvalid(let problem): problem.recoverySuggestion
        case .accessDenied: "Log in again, and agree to what the application asks for."
        case .loginRequired, .consentRequired, .interactionRequired: "Log in without prompt=none."
        case .authorizationFailed: "Change what the text names, then log in again."
        case .stateMismatch, .issuerMismatch: "Do not use the answer. Begin another login."
        case .loginAgain: "Log in again."
        case .noBrowser: "Open the login page's address by hand, on this machine."
        case .storage: "Make what the text names readable and writable, then try again."
        }
    }
}

extension TokenProblem: LocalizedError {
    /// The reason and the next step, for a log or a developer, in English and without secrets.
    public var errorDescription: String? { sentences(failureReason ?? "", recoverySuggestion) }

    public var failureReason: String? { "The token is not valid: \(reason)." }

    private var reason: String {
        switch self {
        case .malformed: "it is no signed JWT, or cannot be read"
        case .algorithm(let name): "it is signed with \(name), which is not accepted"
        case .unknownKey: "the server has no key of its key ID"
        case .signature: "its signature does not fit"
        case .type(let type): "its type is \(type ?? "not said"), which is not accepted here"
        case .issuer: "another server issued it"
        case .audience: "it is for another audience"
        case .authorizedParty: "it is for another client"
        case .subject: "it is about another user"
        case .nonce: "it answers another login"
        case .authenticationTime: "the person authenticated too long ago, or it does not say when"
        case .accessTokenHash: "it vouches for another access token"
        case .expired: "it has expired"
        case .notYetValid: "it is not valid yet"
        case .idToken: "it may be an ID token, which authorizes nothing"
        case .unconfirmed(let method): "it is bound to a key or certificate (\(method)) that the caller did not prove"
        case .confirmationMethod(let method): "it is bound by \(method), which is not known here"
        case .notBound: "it is bound to no key, and came with the proof of one"
        case .missing(let claim): "its claim \(claim) is missing or cannot be read"
        case .insufficientScope(let missing): "it lacks the scope \(missing.joined(separator: " "))"
        case .insufficientPermissions(let missing): "it lacks the permission \(missing.joined(separator: " "))"
        }
    }

    /// The next step; nil where the token is simply to be refused.
    public var recoverySuggestion: String? {
        switch self {
        case .type(let type) where type?.lowercased() == "jwt":
            "An API with token_dialect access_token issues tokens of Auth0's dialect: name it in dialects, or give the API rfc9068_profile."
        case .idToken:
            "Send the access token. An API must not be called like a client."
        case .algorithm: "Name the algorithm in algorithms if the server is to sign with it."
        case .audience: "Ask for a token with the API's identifier as the audience."
        case .unconfirmed: "Pass the certificate or the key that the caller proved in proofs."
        case .expired: "Get another token."
        case .notYetValid: "Check this machine's clock."
        case .authenticationTime: "Have the person log in again."
        case .insufficientScope, .insufficientPermissions: "Ask for what is missing when getting the token."
        default: nil
        }
    }
}
