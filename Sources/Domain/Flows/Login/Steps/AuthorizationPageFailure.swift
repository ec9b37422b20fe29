package import OAuthWire

/// Why the hosted pages cannot go on. It is shown to the person and never sent to the client: either nobody knows
/// that the client is one, or the browser is not the one that the answer belongs to (RFC 6749 clause 4.1.2.1).
package struct AuthorizationPageFailure: Error, Sendable, Equatable {
    package enum Reason: Sendable {
        case unknownClient
        /// Not registered, or left out where the client has not exactly one.
        case redirectURI
        /// The answer is to be a message, and the redirect URI's origin is none of the client's `web_origins`.
        case webOrigin
        case grantNotAllowed
        /// A `request_uri` that is unknown, used, expired or another client's.
        case requestURI
        /// The login is over, expired or began in another browser.
        case transaction
        /// Another tab went on with the login meanwhile: opening its page again shows where it is.
        case superseded
        /// An `id_token_hint` or a URL to return to that a logout cannot accept.
        case logout
        /// A link that does something once, and is used, expired or unknown.
        case ticket
        /// So many logins were begun from the address that no more are kept for a while.
        case tooManyRequests
    }

    package let reason: Reason
    /// For the developers of the application that sent the person here (RFC 6749 clause 4.1.2.1); nil
    /// where there was nothing wrong with what it sent.
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

    /// A request that was accepted when it came asks for something that was taken away meanwhile.
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

    /// RFC 9700 clause 4.7: what came was not begun in this browser, or not from a page of ours.
    package static let foreignBrowser = AuthorizationPageFailure(
        .transaction, en: "This did not come from the page that it belongs to. Go back and try again.",
        fr: "Ceci ne vient pas de la page d'origine. Revenez en arrière et réessayez.")
}
