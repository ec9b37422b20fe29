package import JOSE
package import Localization
package import AuthorizationCore

/// Why nobody was logged in through another provider.
package enum UpstreamFailure: Error, Sendable, Equatable {
    /// The callback belongs to no login that was begun in this transaction, or was used before.
    case state
    /// The provider said no, in its own words (RFC 6749 clauses 4.1.2.1 and 5.2). They are anybody's text.
    case refused(error: String, description: String?)
    /// The provider could not be asked.
    case unavailable(String)
    /// The provider's answer, or one that only pretends to be its, breaks a rule.
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
        /// OIDC Discovery 4.3; tells what is wrong.
        case discovery(String)
        /// RFC 6749 clause 5.1; tells what is wrong.
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
        /// OIDC Core 5.3.2: userinfo tells of somebody else.
        case userInfoSubject
        /// The profile cannot be used; tells what is wrong.
        case profile(String)
    }

    /// What the person at the browser is told. Holds what the provider said, which a page must escape.
    package func text(provider: String) -> LocalizedText {
        switch self {
        case .state:
            localized.failure.upstream.otherLogin
        case .refused("access_denied", nil):
            localized.failure.upstream.denied(provider)
        case .refused(let error, let description):
            localized.failure.upstream.answered(provider, description ?? error)
        case .unavailable:
            localized.failure.upstream.unreachable(provider)
        case .violation, .secret:
            localized.failure.upstream.unusable(provider)
        case .notRecent:
            localized.failure.upstream.notRecent(provider)
        case .blocked:
            localized.failure.upstream.blocked
        }
    }

    /// Whether it is the provider's fault, and may pass.
    package var isUnavailable: Bool { if case .unavailable = self { true } else { false } }

    /// For the log: what happened, without any secret.
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
