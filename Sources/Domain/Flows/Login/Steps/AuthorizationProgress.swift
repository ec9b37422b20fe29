import AuthorizationCore
import OAuthWire
import Primitives

/// Progress of a login transaction. The next step follows from it, the request and the browser's session alone.
///
/// Several people may use one browser, even within one transaction. So every value says whose it is: `authentication`,
/// `session`, `account` and `belongings` name a person, and the others hold for the request, whoever answers it. Add a
/// value that one person leaves to `Belongings`.
struct AuthorizationProgress: Sendable, Equatable {
    /// The person that the browser's session names, or another one.
    enum AccountChoice: Sendable, Equatable {
        case current(UserID)
        case other
    }

    /// A request for the second factor on the user's phone.
    struct Push: Sendable, Equatable {
        /// SHA-256 of an `auth_req_id` that nobody was told.
        var hash: [UInt8]
        /// Number on both screens.
        var number: Int
        var expiresAt: Timestamp
        /// SHA-256 of what the phone was asked.
        var digest: [UInt8]
    }

    /// The person whom values belong to, and what proves that person.
    struct Owner: Sendable, Equatable {
        let user: UserID
        /// How often the user's access had been ended.
        let accessEndings: Int
        /// The browser's session that proves the user. Nil if the user proved themselves in this transaction.
        var session: SessionID?
    }

    /// Values that one person left in the transaction.
    struct Belongings: Sendable, Equatable {
        var owner: Owner
        /// True once the second factor was given within this transaction.
        var gaveSecondFactor = false
        /// Scope that the person allowed within this transaction.
        var consented: ScopeSet?
        var push: Push?
        /// Enrolment URI that the page shows, sealed.
        var sealedEnrollment: [UInt8]?

        init(of owner: Owner) { self.owner = owner }
    }

    /// Proof within this transaction, the second factor included if `amr` says so.
    var authentication: Authentication?
    /// SHA-256 of the cookie that the browser got for `authentication`: without it nobody goes on as that user.
    var proof: [UInt8]?
    /// The session that the code will belong to, once nothing is missing in the authentication.
    var session: SessionID?
    var account: AccountChoice?
    var belongings: Belongings?
    /// State of the connector until the browser comes back from another provider.
    var upstreamAttempt: JSONValue?

    /// User that the client expects; nobody else's login is for it.
    let expectedUser: UserID?

    init(expecting expectedUser: UserID? = nil) { self.expectedUser = expectedUser }

    /// How it begins anew.
    var beginning: AuthorizationProgress { AuthorizationProgress(expecting: expectedUser) }

    /// Changes what belongs to `owner`; values of anybody else are dropped.
    mutating func change(of owner: Owner, _ body: (inout Belongings) -> Void) {
        var theirs = belongings.flatMap { $0.owner == owner ? $0 : nil } ?? Belongings(of: owner)
        body(&theirs)
        belongings = theirs
    }

    /// Drops what belongs to anybody else.
    mutating func drop(allBut owner: Owner?) {
        if belongings?.owner != owner { belongings = nil }
        if case .current(let user) = account, user != owner?.user { account = nil }
        if authentication == nil { proof = nil }
    }

    /// The session that the progress rests on. Nil if it rests on none.
    var restsOn: SessionID? { session ?? belongings?.owner.session }

    /// False if somebody proved themselves here to another browser than one that has `cookieHash`.
    func isProven(by cookieHash: [UInt8]) -> Bool {
        authentication == nil || session != nil || constantTimeEquals(proof ?? [], cookieHash)
    }
}

/// What can be asked as a second factor.
package struct SecondFactors: Sendable, Equatable {
    /// A request to the user's phone.
    package let push: Bool
    package let oneTimePassword: Bool
    /// Whether the user has a device at all. One that has may not enrol another with the password alone.
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

/// What the person does next.
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
    /// Nothing: the answer can be given.
    case done
}

extension AuthorizationProgress {
    /// What the next step depends on, beside the progress.
    struct Circumstances: Sendable {
        var request: AuthorizationRequest
        /// The client is the operator's own, and the API lets such clients go without the user's consent.
        var skipsConsent: Bool
        var choices: LoginChoices
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

    /// The owner of what the user of `proven` leaves; `session` is the browser's.
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

    /// Details are of one transaction (RFC 9396 clause 1), so no earlier consent covers them.
    private static func needsConsent(_ theirs: Belongings?, in circumstances: Circumstances) -> Bool {
        if let consented = theirs?.consented, circumstances.scope.allSatisfy(consented.contains) { return false }
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
