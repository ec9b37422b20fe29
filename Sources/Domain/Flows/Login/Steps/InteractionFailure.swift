import AuthorizationCore
package import Localization

/// A reason why a form of the hosted pages was not accepted. It is shown above the form, and the person tries again.
package struct InteractionFailure: Error, Sendable, Equatable {
    package enum Reason: String, Sendable {
        case wrongCredentials
        case tooManyAttempts
        case userBlocked
        case cannotSignUp
        case email
        case password
        case wrongCode
        case passkey
        /// A name that cannot be a phone's.
        case name
        /// So many requests were sent to the phone that it gets no more for a while.
        case tooManyRequests
        /// The tenant's old server cannot say now who the person is.
        case silentServer
        /// The old server answered about this person alone with something that cannot be used.
        case unfitAnswer
        /// The login is not at the step that the form belongs to: show the page of its step.
        case otherStep
    }

    package let reason: Reason
    /// One line each.
    package let texts: [LocalizedText]
    /// Seconds to wait.
    package var retryAfter: Int?
    /// Further problems of the same form.
    package private(set) var others: [InteractionFailure] = []

    /// All problems of a form. Nil if there is none.
    init?(all failures: [InteractionFailure?]) {
        let failures = failures.compactMap(\.self)
        guard let first = failures.first else { return nil }
        self = first
        others = Array(failures.dropFirst())
    }

    init(_ reason: Reason, _ texts: [LocalizedText], retryAfter: Int? = nil) {
        self.reason = reason
        self.texts = texts
        self.retryAfter = retryAfter
    }

    init(_ reason: Reason, _ text: LocalizedText, retryAfter: Int? = nil) {
        self.init(reason, [text], retryAfter: retryAfter)
    }

    static let otherStep = InteractionFailure(.otherStep, localized.failure.otherStep)

    static let email = InteractionFailure(.email, localized.failure.incompleteEmail)

    /// A text that can be nobody's name for logins.
    static func name(at database: LoginConnection) -> InteractionFailure {
        database.hasUsernames ? InteractionFailure(.email, localized.failure.incompleteName) : email
    }

    static let wrongCredentials = InteractionFailure(.wrongCredentials, localized.failure.wrongCredentials)

    /// Refuses a name and a password, without telling which of them is wrong.
    static func credentials(at database: LoginConnection) -> InteractionFailure {
        database.hasUsernames
            ? InteractionFailure(.wrongCredentials, localized.failure.wrongNameOrPassword) : wrongCredentials
    }

    static let userBlocked = InteractionFailure(.userBlocked, localized.failure.userBlocked)

    /// `wait` is in seconds.
    static func tooManyAttempts(wait: Int) -> InteractionFailure {
        InteractionFailure(.tooManyAttempts, localized.failure.tooManyAttempts(wait), retryAfter: wait)
    }

    /// `wait` is in seconds.
    static func tooManyFromAddress(wait: Int) -> InteractionFailure {
        InteractionFailure(.tooManyAttempts, localized.failure.tooManyFromAddress(wait), retryAfter: wait)
    }
}
