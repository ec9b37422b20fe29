import AuthorizationCore
import OAuthWire
import Primitives

/// How far a log-in transaction is. What comes next follows from it, the request and the browser's session alone.
struct AuthorizationProgress: Sendable, Equatable {
    enum AccountChoice: String, Sendable {
        case current, other
    }

    /// A request for the second factor on the user's phone.
    struct Push: Sendable, Equatable {
        /// SHA-256 of an `auth_req_id` that nobody was told.
        var hash: [UInt8]
        /// What both screens show.
        var number: Int
        var expiresAt: Timestamp
    }

    /// Who proved themselves within this transaction, the second factor included where `amr` says so.
    var authentication: Authentication?
    /// The session that the code will belong to, once nothing is missing in the authentication.
    var session: SessionID?
    var account: AccountChoice?
    /// Whether the second factor was given within this transaction.
    var gaveSecondFactor = false
    /// The scope that the person allowed within this transaction.
    var consented: ScopeSet?
    var push: Push?
    /// What a log-in at another provider needs when the browser comes back; it is the connector's.
    var upstreamAttempt: JSONValue?
    /// The enrolment URI that the page shows, sealed.
    var sealedEnrollment: [UInt8]?

    /// Whom the client believes to be there; nobody else's log-in is for it.
    let expectedUser: UserID?

    init(expecting expectedUser: UserID? = nil) { self.expectedUser = expectedUser }

    /// How it begins anew.
    var beginning: AuthorizationProgress { AuthorizationProgress(expecting: expectedUser) }
}

/// What can be asked as a second factor.
public struct SecondFactors: Sendable, Equatable {
    /// A request to the user's phone.
    public let push: Bool
    public let oneTimePassword: Bool
    /// Whether the user has a device at all. One that has may not enrol another with the password alone.
    public let hasDevice: Bool

    public init(push: Bool, oneTimePassword: Bool, hasDevice: Bool) {
        self.push = push
        self.oneTimePassword = oneTimePassword
        self.hasDevice = hasDevice
    }

    static let none = SecondFactors(push: false, oneTimePassword: false, hasDevice: false)
}

/// What the person does next.
public enum AuthorizationStep: Sendable, Equatable {
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
    /// Nothing: the answer can be given.
    case done
}

extension AuthorizationProgress {
    /// What the next step depends on, beside the progress.
    struct Circumstances: Sendable {
        var request: AuthorizationRequest
        /// The client is the operator's own, and the API lets such clients go without the user's consent.
        var skipsConsent: Bool
        var choices: LogInChoices
        var policy: MultiFactorPolicy
        /// The API asks for a second factor in each transaction.
        var requiresSecondFactorEachTime: Bool
        /// The browser's session.
        var session: Session?
        /// The user of `authentication(in:)`; nil where they are gone or blocked.
        var user: User?
        var factors: SecondFactors
        /// What the user would allow.
        var scope: ScopeSet
        /// What they allowed before.
        var granted: ScopeSet?
        var now: Timestamp
    }

    /// Who is logging in: proven here, or by a session that satisfies the request (OIDC Core 3.1.2.3) and began where
    /// the client may have people log in.
    func authentication(
        _ request: AuthorizationRequest, choices: LogInChoices, session: Session?, now: Timestamp
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

    func nextStep(in circumstances: Circumstances) -> AuthorizationStep {
        let request = circumstances.request
        guard
            let proven = authentication(
                request, choices: circumstances.choices, session: circumstances.session, now: circumstances.now),
            circumstances.user?.id == proven.user
        else { return Self.first(circumstances) }
        if request.prompts.contains(.selectAccount), account == nil, authentication == nil { return .selectAccount }
        if needsSecondFactor(proven, in: circumstances) {
            return circumstances.factors.hasDevice ? .multiFactor(circumstances.factors) : .enrollDevice
        }
        return needsConsent(in: circumstances) ? .consent : .done
    }

    private static func first(_ circumstances: Circumstances) -> AuthorizationStep {
        let choices = circumstances.choices
        if choices.database == nil, choices.upstreams.count == 1, let only = choices.upstreams.first {
            return .upstream(connection: only.name)
        }
        return circumstances.request.wantsSignUp && choices.allowsSignUp ? .signUp : .logIn
    }

    private func needsSecondFactor(_ proven: Authentication, in circumstances: Circumstances) -> Bool {
        if circumstances.requiresSecondFactorEachTime { return !gaveSecondFactor }
        guard !proven.methods.contains(Authentication.multiFactor) else { return false }
        return switch circumstances.policy {
        case .never: false
        case .whenEnrolled: circumstances.factors.hasDevice
        case .always: true
        }
    }

    /// Details are of one transaction (RFC 9396 clause 1), so no earlier consent covers them.
    private func needsConsent(in circumstances: Circumstances) -> Bool {
        if let consented, circumstances.scope.allSatisfy(consented.contains) { return false }
        let request = circumstances.request
        if request.authorizationDetails != nil || request.prompts.contains(.consent) { return true }
        if circumstances.skipsConsent { return false }
        return !(circumstances.granted.map { circumstances.scope.allSatisfy($0.contains) } ?? false)
    }
}

extension Authentication {
    /// RFC 8176.
    static let password = "pwd"
    static let oneTimePassword = "otp"
    static let deviceKey = "pop"
    static let multiFactor = "mfa"
    /// Not registered; says that another provider proved the user.
    static let federated = "fed"

    var contextClass: String? {
        methods.contains(Self.multiFactor) ? AuthenticationContextClass.multiFactor.rawValue : nil
    }

    mutating func add(_ method: String) {
        for method in [method, Self.multiFactor] where !methods.contains(method) { methods.append(method) }
    }
}
