package import OAuthWire

/// A reason why a form of the hosted pages was not accepted. It is shown above the form, and the person tries again.
package struct InteractionFailure: Error, Sendable, Equatable {
    package enum Reason: String, Sendable {
        case wrongCredentials
        case tooManyAttempts
        /// An administrator blocked the user.
        case userBlocked
        case cannotSignUp
        case email
        case password
        case wrongCode
        /// So many requests were sent to the phone that it gets no more for a while.
        case tooManyRequests
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

    init(_ reason: Reason, en: String, fr: String, retryAfter: Int? = nil) {
        self.init(reason, [LocalizedText(en: en, fr: fr)], retryAfter: retryAfter)
    }

    static let otherStep = InteractionFailure(
        .otherStep, en: "This page is no longer the current step of your login.",
        fr: "Cette page n'est plus l'étape actuelle de votre connexion.")

    static let email = InteractionFailure(
        .email, en: "Enter a complete e-mail address, such as ann@example.com.",
        fr: "Saisissez une adresse e-mail complète, par exemple ann@example.com.")

    static let wrongCredentials = InteractionFailure(
        .wrongCredentials, en: "Wrong e-mail address or password.", fr: "Adresse e-mail ou mot de passe incorrect.")

    static let userBlocked = InteractionFailure(
        .userBlocked, en: "This account is blocked. Contact whoever runs this service.",
        fr: "Ce compte est bloqué. Contactez le responsable de ce service.")

    /// `wait` is in seconds.
    static func tooManyAttempts(wait: Int) -> InteractionFailure {
        let span = TimeSpan(seconds: wait).text
        return InteractionFailure(
            .tooManyAttempts,
            en: "There were too many failed attempts, so this login is blocked. Try again in \(span[.english]).",
            fr: "Il y a eu trop de tentatives échouées : cette connexion est bloquée. "
                + "Réessayez dans \(span[.french]).",
            retryAfter: wait)
    }

    /// `wait` is in seconds.
    static func tooManyFromAddress(wait: Int) -> InteractionFailure {
        let span = TimeSpan(seconds: wait).text
        return InteractionFailure(
            .tooManyAttempts,
            en: "There were too many attempts from your network. Try again in \(span[.english]), or from another "
                + "network.",
            fr: "Il y a eu trop de tentatives depuis votre réseau. Réessayez dans \(span[.french]), ou depuis un autre "
                + "réseau.",
            retryAfter: wait)
    }
}
