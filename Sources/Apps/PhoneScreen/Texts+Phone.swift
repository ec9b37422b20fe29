package import Guardian
package import Localization
package import Terminal

/// A person's answer to a request.
package enum Decision: Sendable, Hashable {
    case allow(pick: MatchingNumber?)
    case reject
    /// A rejection of a request that the person did not ask for.
    case report

    package var outcome: Texts.Phone.Outcome {
        switch self {
        case .allow: .allowed
        case .reject: .rejected
        case .report: .reported
        }
    }
}

extension Texts.Phone {
    /// How a request ended.
    package enum Outcome: String, Sendable { case allowed, rejected, reported, withdrawn, expired, unanswered }

    package func outcome(_ outcome: Outcome) -> String {
        switch outcome {
        case .allowed: allowed
        case .rejected: rejected
        case .reported: reported
        case .withdrawn: withdrawn
        case .expired: expired
        case .unanswered: unanswered
        }
    }

    /// The question about one request. If it has numbers, only one of them allows it.
    package func choice(among numbers: [MatchingNumber]) -> Choice<Decision> {
        let refusals: [Choice<Decision>.Answer] = [.init(no, .reject), .init(report, .report)]
        guard !numbers.isEmpty else {
            return Choice(Text(question), [.init(yes, .allow(pick: nil))] + refusals, advice: advice)
        }
        let picks = numbers.map { Choice<Decision>.Answer([$0.description], .allow(pick: $0)) }
        let list = numbers.map(\.description).joined(separator: ", ")
        return Choice(Text(whichNumber), picks + refusals, advice: numberAdvice(list))
    }

    /// The question about several requests. A nil decision asks about each of them.
    package var choiceForAll: Choice<Decision?> {
        Choice(
            Text(questionAll),
            [.init(yes, .allow(pick: nil)), .init(no, .reject), .init(report, .report), .init(each, nil)],
            advice: adviceAll)
    }
}

extension Language {
    /// Language of messages (POSIX XBD 8.2): the first of `LC_ALL`, `LC_MESSAGES`, `LANG` that is not empty.
    package static func preferred(by environment: [String: String]) -> Language {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return locale.flatMap { Language(tag: $0) } ?? .english
    }
}
