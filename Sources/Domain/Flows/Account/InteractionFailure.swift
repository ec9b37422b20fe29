public import OAuthWire

/// Why a form of the hosted pages was not accepted: shown above it, and the person tries again.
public struct InteractionFailure: Error, Sendable, Equatable {
    public enum Reason: String, Sendable {
        case wrongCredentials
        case tooManyAttempts
        /// By an administrator.
        case userBlocked
        case cannotSignUp
        case email
        case password
        case wrongCode
        /// So many requests were sent to the phone that it gets no more for a while.
        case tooManyRequests
        /// The log-in is not at the step that the form belongs to: show the page of its step.
        case otherStep
    }

    public let reason: Reason
    /// One line each.
    public let texts: [LocalizedText]
    /// Seconds to wait.
    public var retryAfter: Int?

    init(_ reason: Reason, _ texts: [LocalizedText], retryAfter: Int? = nil) {
        self.reason = reason
        self.texts = texts
        self.retryAfter = retryAfter
    }

    init(_ reason: Reason, en: String, fr: String, retryAfter: Int? = nil) {
        self.init(reason, [LocalizedText(en: en, fr: fr)], retryAfter: retryAfter)
    }

    static let otherStep = InteractionFailure(
        .otherStep, en: "This page is no longer the current step of your log-in.",
        fr: "Cette page n'est plus l'étape actuelle de votre connexion.")

    static let email = InteractionFailure(
        .email, en: "Enter a complete e-mail address, such as ann@example.com.",
        fr: "Saisissez une adresse e-mail complète, par exemple ann@example.com.")

    static let wrongCredentials = InteractionFailure(
        .wrongCredentials, en: "Wrong e-mail address or password.", fr: "Adresse e-mail ou mot de passe incorrect.")

    static let userBlocked = InteractionFailure(
        .userBlocked, en: "This account is blocked. Contact whoever runs this service.",
        fr: "Ce compte est bloqué. Contactez le responsable de ce service.")

    static func tooManyAttempts(window: Int) -> InteractionFailure {
        InteractionFailure(
            .tooManyAttempts,
            en: "There were too many failed attempts, so this log-in is blocked. Try again later.",
            fr: "Il y a eu trop de tentatives échouées : cette connexion est bloquée. Réessayez plus tard.",
            retryAfter: window)
    }

    static func tooManyFromAddress(window: Int) -> InteractionFailure {
        InteractionFailure(
            .tooManyAttempts,
            en: "There were too many attempts from your network. Try again later, or from another network.",
            fr: "Il y a eu trop de tentatives depuis votre réseau. Réessayez plus tard, ou depuis un autre réseau.",
            retryAfter: window)
    }
}
