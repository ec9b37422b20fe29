package import Localization
package import Terminal

extension Texts.Phone {
    /// How a request ended.
    package enum Outcome: String, Sendable { case allowed, rejected, withdrawn, expired, unanswered }

    package func outcome(_ outcome: Outcome) -> String {
        switch outcome {
        case .allowed: allowed
        case .rejected: rejected
        case .withdrawn: withdrawn
        case .expired: expired
        case .unanswered: unanswered
        }
    }

    package var prompt: Question { Question(Text(question), yes: yes, no: no, advice: advice) }
}

extension Language {
    /// Language of messages (POSIX XBD 8.2): the first of `LC_ALL`, `LC_MESSAGES`, `LANG` that is not empty.
    package static func preferred(by environment: [String: String]) -> Language {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return locale.flatMap { Language(tag: $0) } ?? .english
    }
}
