import AuthorizationCore
import OAuthWire
import Primitives

/// Step that a login is at. A new step is a case here, with its properties below and its turn in `nextStep`.
package enum AuthorizationStep: Sendable, Equatable {
    case logIn
    case signUp
    /// Go on as the user of the session, or as another.
    case selectAccount
    /// Log in at another provider.
    case upstream(connection: String)
    /// Set up a phone.
    case enrollDevice
    case multiFactor(SecondFactors)
    case consent
    /// The answer can be given.
    case done

    /// True if the person proves who they are at this step.
    var provesUser: Bool {
        switch self {
        case .logIn, .signUp, .upstream: true
        case .selectAccount, .enrollDevice, .multiFactor, .consent, .done: false
        }
    }

    /// True if the user is authenticated completely, so that the browser gets its session.
    var followsAuthentication: Bool {
        switch self {
        case .consent, .done: true
        case .logIn, .signUp, .selectAccount, .upstream, .enrollDevice, .multiFactor: false
        }
    }

    /// The answer to `prompt=none` (OIDC Core 3.1.2.6). A page that embeds the request learns no more than this.
    var interactionNeeded: OAuthError {
        switch self {
        case .consent: OAuthError(.consentRequired, "Consent required")
        case .enrollDevice, .multiFactor: OAuthError(.interactionRequired, "Interaction required")
        case .logIn, .signUp, .upstream, .selectAccount, .done: OAuthError(.loginRequired, "Login required")
        }
    }
}

/// Second factors that the user can be asked for.
package struct SecondFactors: Sendable, Equatable {
    /// True if a request can be sent to the user's phone.
    package let push: Bool
    package let oneTimePassword: Bool
    /// True if the user has a device at all. Such a user may not enrol another with the password alone.
    package let hasDevice: Bool

    /// True if there is one that the user can give.
    package var canBeGiven: Bool { push || oneTimePassword }

    package init(push: Bool, oneTimePassword: Bool, hasDevice: Bool) {
        self.push = push
        self.oneTimePassword = oneTimePassword
        self.hasDevice = hasDevice
    }

    static let none = SecondFactors(push: false, oneTimePassword: false, hasDevice: false)
}

extension AuthorizationProgress {
    /// Facts that the next step depends on, beside the progress.
    struct Circumstances: Sendable {
        var request: AuthorizationRequest
        /// True if the client is the operator's own, and the API lets such clients go without the user's consent.
        var skipsConsent: Bool
        var choices: LoginChoices
        var policy: MultiFactorPolicy
        /// True if the API wants a second factor in each transaction.
        var requiresSecondFactorEachTime: Bool
        /// The browser's session.
        var session: Session?
        /// The user of `authentication`. Nil means that the user is deleted or blocked.
        var user: User?
        var factors: SecondFactors
        /// Scope that the user would allow.
        var scope: ScopeSet
        /// Scope that the user allowed before.
        var granted: ScopeSet?
        var now: Timestamp
    }

    /// Proof of the user who is logging in: given in this transaction, or by a session that satisfies the request (OIDC
    /// Core 3.1.2.3) and began at a connection that the client may use.
    func authentication(
        _ request: AuthorizationRequest, choices: LoginChoices, session: Session?, now: Timestamp
    ) -> Authentication? {
        if let id = self.session { return session?.id == id ? session?.authentication : nil }
        if let authentication { return authentication }
        guard let known = session?.authentication, account != .other, !request.prompts.contains(.login),
            request.maxAge.map({ known.isTimeKnown && now < known.at + .seconds($0) }) ?? true,
            choices.include(known.connection),
            (expectedUser ?? known.user) == known.user
        else { return nil }
        return known
    }

    /// The owner of the values that the user of `proven` leaves. `session` is the browser's.
    func owner(_ proven: Authentication, session: Session?) -> Owner {
        let isHere = self.session == nil && authentication != nil
        return Owner(
            user: proven.user, accessEndings: proven.accessEndings, session: isHere ? nil : session?.id)
    }

    func nextStep(in circumstances: Circumstances) -> AuthorizationStep {
        let request = circumstances.request
        guard
            let proven = authentication(
                request, choices: circumstances.choices, session: circumstances.session, now: circumstances.now),
            circumstances.user?.id == proven.user
        else { return Self.first(circumstances) }
        if request.prompts.contains(.selectAccount), authentication == nil, account != .current(proven.user) {
            return .selectAccount
        }
        let owner = owner(proven, session: circumstances.session)
        let theirs = belongings.flatMap { $0.owner == owner ? $0 : nil }
        if Self.needsSecondFactor(proven, theirs, in: circumstances) {
            return circumstances.factors.hasDevice ? .multiFactor(circumstances.factors) : .enrollDevice
        }
        return Self.needsConsent(theirs, in: circumstances) ? .consent : .done
    }

    private static func first(_ circumstances: Circumstances) -> AuthorizationStep {
        let choices = circumstances.choices
        if choices.database == nil, choices.upstreams.count == 1, let only = choices.upstreams.first {
            return .upstream(connection: only.name)
        }
        return circumstances.request.wantsSignUp && choices.allowsSignUp ? .signUp : .logIn
    }

    private static func needsSecondFactor(
        _ proven: Authentication, _ theirs: Belongings?, in circumstances: Circumstances
    ) -> Bool {
        if circumstances.requiresSecondFactorEachTime { return theirs?.gaveSecondFactor != true }
        guard !proven.methods.contains(Authentication.multiFactor) else { return false }
        return switch circumstances.policy {
        case .never: false
        case .whenEnrolled: circumstances.factors.hasDevice
        case .always: true
        }
    }

    /// Details belong to one transaction (RFC 9396 clause 1), so no earlier consent covers them.
    private static func needsConsent(_ theirs: Belongings?, in circumstances: Circumstances) -> Bool {
        if let consented = theirs?.consented, circumstances.scope.allSatisfy(consented.contains) { return false }
        let request = circumstances.request
        if request.authorizationDetails != nil || request.prompts.contains(.consent) { return true }
        if circumstances.skipsConsent { return false }
        return !(circumstances.granted.map { circumstances.scope.allSatisfy($0.contains) } ?? false)
    }
}
