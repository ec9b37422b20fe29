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
