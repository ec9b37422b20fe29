package import OAuthWire

/// A reason why the hosted pages cannot go on. It is shown to the person and never sent to the client: either the client
/// is not proven, or the answer belongs to another browser (RFC 6749 clause 4.1.2.1).
package struct AuthorizationPageFailure: Error, Sendable, Equatable {
    package enum Reason: Sendable {
        case unknownClient
        /// Not registered, or left out by a client that has none or several.
        case redirectURI
        /// The redirect URI's origin is none of the client's `web_origins`, which an answer by message needs.
        case webOrigin
        case grantNotAllowed
        /// A `request_uri` that is unknown, used, expired or another client's.
        case requestURI
        /// The login is over, expired or began in another browser.
        case transaction
        /// Another tab went on with the login meanwhile: opening its page again shows its step.
        case superseded
        /// An `id_token_hint` or a URL to return to that a logout cannot accept.
        case logout
        /// A link that works once, and is used, expired or unknown.
        case ticket
        /// So many logins were begun from the address that no more are kept for a while.
        case tooManyRequests
    }

    package let reason: Reason
    /// Code for the developers of the application (RFC 6749 clause 4.1.2.1). Nil if the application's request was right.
    package var code: OAuthError.Code? {
        switch reason {
        case .unknownClient, .redirectURI, .webOrigin, .requestURI, .logout: .invalidRequest
        case .grantNotAllowed: .unauthorizedClient
        case .transaction, .superseded, .ticket, .tooManyRequests: nil
        }
    }

    package let text: LocalizedText
    /// For the log only.
    package var detail: String?
    /// Seconds to wait.
    package private(set) var retryAfter: Int?

    init(_ reason: Reason, en: String, fr: String, detail: String? = nil) {
        self.reason = reason
        text = LocalizedText(en: en, fr: fr)
        self.detail = detail
    }

    static let noTransaction = AuthorizationPageFailure(
        .transaction, en: "This login is over or has expired. Go back to the application and start again.",
        fr: "Cette connexion est terminée ou a expiré. Retournez à l'application et recommencez.")

    /// The request was accepted when it came. Since then the client lost a right that the request needs.
    static func withdrawn(_ error: OAuthError) -> AuthorizationPageFailure {
        AuthorizationPageFailure(
            .transaction,
            en: "The application may no longer ask for this. Go back to the application and start again.",
            fr: "L'application ne peut plus demander ceci. Retournez à l'application et recommencez.",
            detail: "\(error.code.rawValue): \(error.description.text)")
    }

    static let superseded = AuthorizationPageFailure(
        .superseded, en: "This login went on in another tab. Reload the page.",
        fr: "Cette connexion s'est poursuivie dans un autre onglet. Rechargez la page.")

    static let unknownTicket = AuthorizationPageFailure(
        .ticket, en: "This link was used before or has expired. Ask for a new one.",
        fr: "Ce lien a déjà servi ou a expiré. Demandez-en un nouveau.")

    static func tooManyLogins(retryAfter: Int) -> AuthorizationPageFailure {
        var failure = AuthorizationPageFailure(
            .tooManyRequests,
            en: "Too many logins were begun from your network. Reload the page in \(retryAfter) seconds.",
            fr: "Trop de connexions ont été commencées depuis votre réseau. "
                + "Rechargez la page dans \(retryAfter) secondes.")
        failure.retryAfter = retryAfter
        return failure
    }

    /// RFC 9700 clause 4.7: the request was not begun in this browser, or not from a page of this server.
    package static let foreignBrowser = AuthorizationPageFailure(
        .transaction, en: "This did not come from the page that it belongs to. Go back and try again.",
        fr: "Ceci ne vient pas de la page d'origine. Revenez en arrière et réessayez.")
}
