package import JOSE
package import Localization
package import AuthorizationCore

/// A reason why nobody was logged in through another provider.
package enum UpstreamFailure: Error, Sendable, Equatable {
    /// The callback belongs to no login that was begun in this transaction, or was used before.
    case state
    /// The provider refused, in its own words (RFC 6749 clauses 4.1.2.1 and 5.2). Anybody may have written them.
    case refused(error: String, description: String?)
    /// The provider could not be asked.
    case unavailable(String)
    /// The provider's answer, or a forged one, breaks a rule.
    case violation(Violation)
    /// The person proved themselves at the provider longer ago than the client allows, or it does not say when.
    case notRecent
    case blocked(UserID)
    /// The connection's secret cannot be opened: the master key is another one.
    case secret

    package enum Violation: Sendable, Equatable {
        /// `iss` of the callback is missing or another provider's (RFC 9207 clause 2.4).
        case responseIssuer
        /// The callback has neither a code nor an error.
        case noCode
        /// The discovery document breaks OIDC Discovery 4.3. Holds the fault.
        case discovery(String)
        /// The token response breaks RFC 6749 clause 5.1. Holds the fault.
        case tokenResponse(String)
        case idToken(JWS.Failure)
        /// The provider publishes no key that the ID token names.
        case unknownKey
        case claims(VerificationPolicy.Failure)
        /// The ID token is for others too, or was given to another client (OIDC Core 3.1.3.7).
        case authorizedParty
        case nonce
        case accessTokenHash
        /// `auth_time` is no time, or one to come.
        case authenticationTime
        /// Userinfo is another subject's (OIDC Core 5.3.2).
        case userInfoSubject
        /// The profile cannot be used. Holds the fault.
        case profile(String)
    }

    /// Text for the person. It holds the provider's words, which a page must escape.
    package func text(provider: String) -> LocalizedText {
        switch self {
        case .state: localized.failure.upstream.otherLogin
        case .refused("access_denied", nil): localized.failure.upstream.denied(provider)
        case .refused(let error, let description): localized.failure.upstream.answered(provider, description ?? error)
        case .unavailable: localized.failure.upstream.unreachable(provider)
        case .violation, .secret: localized.failure.upstream.unusable(provider)
        case .notRecent: localized.failure.upstream.notRecent(provider)
        case .blocked: localized.failure.upstream.blocked
        }
    }

    /// True if the provider could not be reached, which may pass.
    package var isUnavailable: Bool { if case .unavailable = self { true } else { false } }

    /// Text for the log, without secrets.
    package var detail: String {
        switch self {
        case .state: "state fits no login that was begun"
        case .refused(let error, let description): "refused: \(error) \(description ?? "")"
        case .unavailable(let text): text
        case .violation(let violation): "\(violation)"
        case .notRecent: "auth_time is missing or too long ago"
        case .blocked(let user): "\(user) is blocked"
        case .secret: "the connection's secret cannot be opened"
        }
    }
}
