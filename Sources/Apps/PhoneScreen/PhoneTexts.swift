package import Terminal

/// Texts of the phone in the terminal for its user, in one language. Texts for programs, and those of servers and the system,
/// are not among them.
package struct PhoneTexts: Sendable {
    /// How a request ended.
    package enum Outcome: String, Sendable { case allowed, rejected, withdrawn, expired, unanswered }

    // The card.
    let title: @Sendable (_ client: String) -> String
    let client, audience, scopes, origin, server, request, timeLeft, expired, untyped: String

    // Around it.
    package let listening: @Sendable (_ server: String, _ user: String) -> String
    package let again: @Sendable (_ pause: String) -> String
    package let unreadable, unsent: @Sendable (_ request: String) -> String
    package let outcome: @Sendable (Outcome) -> String
    package let question: Question
    /// `more` counts the other requests that wait; `left` nil is for a request that does not say when it ends.
    package let status: @Sendable (_ left: String?, _ more: Int) -> String

    /// The language of messages, as POSIX has it (XBD 8.2): of `LC_ALL`, `LC_MESSAGES` and `LANG` the first that is not
    /// empty.
    package static func preferred(by environment: [String: String]) -> PhoneTexts {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let language = locale.prefix { $0 != "_" && $0 != "." && $0 != "@" }
        return language == "fr" ? .french : .english
    }

    package static let english = PhoneTexts(
        title: { "\($0) asks for your approval" },
        client: "client", audience: "for", scopes: "scopes", origin: "from", server: "server", request: "request",
        timeLeft: "time left", expired: "expired", untyped: "detail without type",
        listening: { "Listening at \($0) for \($1)." },
        again: { "Trying again in \($0)." },
        unreadable: { "\($0) cannot be read" },
        unsent: { "the answer to \($0) cannot be sent" },
        outcome: \.rawValue,
        question: .english("Allow?"),
        status: { left, more in
            let others = more == 0 ? "no other request waits" : more == 1 ? "1 more waits" : "\(more) more wait"
            return left.map { more == 0 ? "\($0) left" : "\($0) left, \(others)" } ?? others
        })

    package static let french = PhoneTexts(
        title: { "\($0) demande votre accord" },
        client: "client", audience: "pour", scopes: "droits", origin: "depuis", server: "serveur", request: "demande",
        timeLeft: "temps restant", expired: "expirée", untyped: "détail sans type",
        listening: { "À l'écoute de \($0) pour \($1)." },
        again: { "Nouvel essai dans \($0)." },
        unreadable: { "\($0) ne peut pas être lue" },
        unsent: { "la réponse à \($0) ne peut pas être envoyée" },
        outcome: { outcome in
            switch outcome {
            case .allowed: "acceptée"
            case .rejected: "refusée"
            case .withdrawn: "retirée"
            case .expired: "expirée"
            case .unanswered: "sans réponse"
            }
        },
        question: Question(
            "Accepter ?", yes: ["o", "oui", "y", "yes"], no: ["n", "non", "no"], advice: "Répondez par o ou n."),
        status: { left, more in
            let others =
                more == 0
                ? "aucune autre demande n'attend" : more == 1 ? "1 autre attend" : "\(more) autres attendent"
            return left.map { more == 0 ? "encore \($0)" : "encore \($0), \(others)" } ?? others
        })
}
