import AuthorizationCore
import GuardianWire
import OAuthWire
import Primitives

/// Progress of a login transaction. The next step follows from it, the request and the browser's session alone.
///
/// Several people may use one browser, even within one transaction. So every value names its owner: `authentication`,
/// `session`, `account` and `belongings` name a person, and the others hold for the request and any person. Add a
/// value that one person leaves to `Belongings`.
struct AuthorizationProgress: Sendable, Equatable {
    /// The person that the browser's session names, or another one.
    enum AccountChoice: Sendable, Equatable {
        case current(UserID)
        case other
    }

    /// A request for the second factor on the user's phone.
    struct Push: Sendable, Equatable {
        /// SHA-256 of an `auth_req_id` that stays secret.
        var hash: [UInt8]
        /// Number on the page.
        var number: MatchingNumber
        /// The way in which the person gives the number on the phone. Nil means that the phone shows it.
        var matching: NumberMatching?
        var expiresAt: Timestamp
        /// SHA-256 of the question to the phone.
        var digest: [UInt8]
    }

    /// The person whom values belong to, and what proves that person.
    struct Owner: Sendable, Equatable {
        let user: UserID
        /// Number of times that the user's access had been ended.
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
        /// True if the person added a first phone within this transaction, and was not offered recovery codes yet.
        var offersRecoveryCodes = false
        var push: Push?
        /// Enrolment URI that the page shows, sealed.
        var sealedEnrollment: [UInt8]?

        init(of owner: Owner) { self.owner = owner }
    }

    /// Proof within this transaction, the second factor included if `amr` says so.
    var authentication: Authentication?
    /// SHA-256 of the cookie that the browser got with `authentication`. Other browsers cannot continue as that user.
    var proof: [UInt8]?
    /// The session that the code will belong to, once nothing is missing in the authentication.
    var session: SessionID?
    var account: AccountChoice?
    var belongings: Belongings?
    /// State of the connector until the browser comes back from another provider.
    var upstreamAttempt: JSONValue?

    /// User that the client expects. Logins of other users are refused.
    let expectedUser: UserID?

    init(expecting expectedUser: UserID? = nil) { self.expectedUser = expectedUser }

    /// The progress of a login that begins anew.
    var beginning: AuthorizationProgress { AuthorizationProgress(expecting: expectedUser) }

    /// Changes values of `owner`. Values of other owners are dropped.
    mutating func change(of owner: Owner, _ body: (inout Belongings) -> Void) {
        var theirs = belongings.flatMap { $0.owner == owner ? $0 : nil } ?? Belongings(of: owner)
        body(&theirs)
        belongings = theirs
    }

    /// Drops values of other owners.
    mutating func drop(allBut owner: Owner?) {
        if belongings?.owner != owner { belongings = nil }
        if case .current(let user) = account, user != owner?.user { account = nil }
        if authentication == nil { proof = nil }
    }

    /// The session that the progress rests on. Nil if it rests on none.
    var restsOn: SessionID? { session ?? belongings?.owner.session }

    /// False if the user authenticated in this transaction in a browser without the cookie of `cookieHash`.
    func isProven(by cookieHash: [UInt8]) -> Bool {
        authentication == nil || session != nil || constantTimeEquals(proof ?? [], cookieHash)
    }
}

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
    /// Offer recovery codes.
    case recoveryCodes
    case consent
    /// The answer can be given.
    case done

    /// True if the person proves who they are at this step.
    var provesUser: Bool {
        switch self {
        case .logIn, .signUp, .upstream: true
        case .selectAccount, .enrollDevice, .multiFactor, .recoveryCodes, .consent, .done: false
        }
    }

    /// True if the user is authenticated completely, so that the browser gets its session.
    var followsAuthentication: Bool {
        switch self {
        case .recoveryCodes, .consent, .done: true
        case .logIn, .signUp, .selectAccount, .upstream, .enrollDevice, .multiFactor: false
        }
    }

    /// The answer to `prompt=none` (OIDC Core 3.1.2.6). A page that embeds the request learns no more than this.
    var interactionNeeded: OAuthError {
        switch self {
        case .consent: OAuthError(.consentRequired, "Consent required")
        case .enrollDevice, .multiFactor, .recoveryCodes: OAuthError(.interactionRequired, "Interaction required")
        case .logIn, .signUp, .upstream, .selectAccount, .done: OAuthError(.loginRequired, "Login required")
        }
    }
}

/// Second factors that the user can be asked for.
package struct SecondFactors: Sendable, Equatable {
    /// True if a request can be sent to the user's phone.
    package let push: Bool
    package let oneTimePassword: Bool
    /// True if the user has a phone, an authenticator app or a recovery code at all. Such a user may not enrol a phone with
    /// the password alone.
    package let hasFactor: Bool
    /// True if a recovery code can take the place of the others.
    package var recoveryCode = false

    /// True if there is one that the user can give.
    package var canBeGiven: Bool { push || oneTimePassword || recoveryCode }

    static let none = SecondFactors(push: false, oneTimePassword: false, hasFactor: false)
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
        /// Ages of proofs that a page of this server asks for. Nil if any age is enough.
        var recency: OwnPage.Recency?
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
        return Owner(user: proven.user, accessEndings: proven.accessEndings, session: isHere ? nil : session?.id)
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
        if Self.needsNewLogin(proven, in: circumstances) { return Self.first(circumstances) }
        if Self.needsSecondFactor(proven, theirs, in: circumstances) {
            return circumstances.factors.hasFactor ? .multiFactor(circumstances.factors) : .enrollDevice
        }
        if theirs?.offersRecoveryCodes == true, !circumstances.factors.recoveryCode { return .recoveryCodes }
        return Self.needsConsent(theirs, in: circumstances) ? .consent : .done
    }

    private static func first(_ circumstances: Circumstances) -> AuthorizationStep {
        let choices = circumstances.choices
        if choices.database == nil, choices.upstreams.count == 1, let only = choices.upstreams.first {
            return .upstream(connection: only.name)
        }
        return circumstances.request.wantsSignUp && choices.allowsSignUp ? .signUp : .logIn
    }

    /// True for a page that asks for a recent login, of a person without a second factor.
    private static func needsNewLogin(_ proven: Authentication, in circumstances: Circumstances) -> Bool {
        guard let recency = circumstances.recency, !circumstances.factors.hasFactor else { return false }
        return circumstances.now >= proven.at + .seconds(recency.login)
    }

    private static func needsSecondFactor(
        _ proven: Authentication, _ theirs: Belongings?, in circumstances: Circumstances
    ) -> Bool {
        if circumstances.requiresSecondFactorEachTime { return theirs?.gaveSecondFactor != true }
        if let recency = circumstances.recency, circumstances.factors.hasFactor,
            proven.secondFactorAt.map({ circumstances.now >= $0 + .seconds(recency.secondFactor) }) ?? true
        {
            return true
        }
        guard !proven.methods.contains(Authentication.multiFactor) else { return false }
        return switch circumstances.policy {
        case .never: false
        case .whenEnrolled: circumstances.factors.hasFactor
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

    /// Leaves the first factor alone. Methods of another provider stay, since none of our factors proved them.
    mutating func voidSecondFactor() {
        let own = [Self.oneTimePassword, Self.deviceKey, Self.multiFactor]
        methods.removeAll(where: own.contains)
        secondFactorAt = nil
    }

    /// Adds a second factor, given at `now`.
    mutating func add(_ method: String, at now: Timestamp) {
        for method in [method, Self.multiFactor] where !methods.contains(method) { methods.append(method) }
        secondFactorAt = now
    }
}

extension AuthorizationProgress {
    /// The form that the store keeps.
    var json: JSONValue {
        var object = JSONObject()
        if let authentication {
            var known: JSONObject = [
                "user": .string(authentication.user.rawValue), "at": JSONValue(authentication.at.milliseconds),
                "time_known": .bool(authentication.isTimeKnown), "methods": JSONValue(authentication.methods),
                "connection": .string(authentication.connection),
                "access_endings": .number(JSONNumber(authentication.accessEndings)),
            ]
            if let at = authentication.secondFactorAt { known["second_factor_at"] = JSONValue(at.milliseconds) }
            object["authentication"] = .object(known)
        }
        if let proof { object["proof"] = .string(Base64URL.encode(proof)) }
        if let session { object["session"] = .string(session.rawValue) }
        switch account {
        case .current(let user): object["account"] = .string(user.rawValue)
        case .other: object["other_account"] = true
        case nil: break
        }
        if let belongings { object["belongings"] = belongings.json }
        if let upstreamAttempt { object["upstream"] = upstreamAttempt }
        if let expectedUser { object["expected_user"] = .string(expectedUser.rawValue) }
        return .object(object)
    }

    /// Reads the stored form. Anything else counts as no progress, so that nothing is taken for proven by mistake.
    init(_ value: JSONValue) {
        self.init(expecting: value["expected_user"]?.stringValue.map { UserID($0) })
        if let known = value["authentication"], let user = known["user"]?.stringValue, let at = known["at"]?.intValue,
            let methods = known["methods"]?.stringsValue, let connection = known["connection"]?.stringValue
        {
            authentication = Authentication(
                user: UserID(user), at: Timestamp(milliseconds: Int64(at)),
                isTimeKnown: known["time_known"]?.boolValue ?? false, methods: methods, connection: connection,
                accessEndings: known["access_endings"]?.intValue ?? 0,
                secondFactorAt: known["second_factor_at"]?.intValue.map { Timestamp(milliseconds: Int64($0)) })
        }
        proof = value["proof"]?.stringValue.flatMap { Base64URL.decode($0) }
        session = value["session"]?.stringValue.map { SessionID($0) }
        if value["other_account"] == true {
            account = .other
        } else {
            account = value["account"]?.stringValue.map { .current(UserID($0)) }
        }
        belongings = value["belongings"].flatMap(Belongings.init)
        upstreamAttempt = value["upstream"]
    }
}

extension AuthorizationProgress.Belongings {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "user": .string(owner.user.rawValue), "access_endings": .number(JSONNumber(owner.accessEndings)),
        ]
        if let session = owner.session { object["session"] = .string(session.rawValue) }
        if gaveSecondFactor { object["second_factor"] = true }
        if offersRecoveryCodes { object["offers_recovery_codes"] = true }
        if let consented { object["consented"] = .string(consented.description) }
        if let push {
            object["push"] = [
                "hash": .string(Base64URL.encode(push.hash)), "number": .string(push.number.description),
                "matching": push.matching.map { .string($0.rawValue) } ?? .null,
                "expires_at": JSONValue(push.expiresAt.milliseconds),
                "digest": .string(Base64URL.encode(push.digest)),
            ]
        }
        if let sealedEnrollment { object["enrollment"] = .string(Base64URL.encode(sealedEnrollment)) }
        return .object(object)
    }

    /// Nil if the value names no owner.
    fileprivate init?(_ value: JSONValue) {
        guard let user = value["user"]?.stringValue, let endings = value["access_endings"]?.intValue else { return nil }
        self.init(
            of: AuthorizationProgress.Owner(
                user: UserID(user), accessEndings: endings,
                session: value["session"]?.stringValue.map { SessionID($0) }))
        gaveSecondFactor = value["second_factor"]?.boolValue ?? false
        offersRecoveryCodes = value["offers_recovery_codes"]?.boolValue ?? false
        consented = value["consented"]?.stringValue.flatMap { try? ScopeSet(parsing: $0) }
        if let push = value["push"], let hash = push["hash"]?.stringValue.flatMap({ Base64URL.decode($0) }),
            let number = push["number"]?.stringValue.flatMap({ MatchingNumber($0) }),
            let expiresAt = push["expires_at"]?.intValue,
            let digest = push["digest"]?.stringValue.flatMap({ Base64URL.decode($0) })
        {
            self.push = AuthorizationProgress.Push(
                hash: hash, number: number,
                matching: push["matching"]?.stringValue.flatMap(NumberMatching.init(rawValue:)),
                expiresAt: Timestamp(milliseconds: Int64(expiresAt)), digest: digest)
        }
        sealedEnrollment = value["enrollment"]?.stringValue.flatMap { Base64URL.decode($0) }
    }
}
