import ApprovalWire
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

extension Consent {
    /// True if only the right number allows the request.
    package var asksNumber: Bool { asksTypedNumber || !matchingChoices.isEmpty }

    /// The question in one line: the login, or what counts most. Nil if nothing counts more than the rest.
    package func question(in language: Language) -> String? {
        login.map { LoginPresentation($0.login, in: language).headline }
            ?? headline(inLanguage: language.rawValue)?.lines.joined(separator: ", ")
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
}

extension Language {
    /// The question about one request, which names what it allows. If it asks for a number, only one number allows it.
    package func choice(about consent: Consent?) -> Choice<Decision> {
        let (phone, card) = (texts.phone, texts.card)
        let refusals: [Choice<Decision>.Answer] = [.init(phone.no, .reject), .init(phone.report, .report)]
        let action = consent?.headline(inLanguage: rawValue)?.action
        guard let consent, consent.asksNumber else {
            return Choice(
                Text(action.map(card.question) ?? phone.question),
                [.init(phone.yes, .allow(pick: nil))] + refusals, advice: phone.advice)
        }
        let screen = consent.login.map { LoginPresentation($0.login, in: self).screen }
        let isTyped = consent.asksTypedNumber
        let all = (0...99).compactMap { MatchingNumber(String($0 / 10) + String($0 % 10)) }
        let numbers = isTyped ? all : consent.matchingChoices
        let picks = numbers.map { Choice<Decision>.Answer([$0.description], .allow(pick: $0)) }
        return Choice(
            Text(screen.map(phone.whichNumberOf) ?? action.map(card.whichNumber) ?? phone.whichNumber),
            picks + refusals,
            shown: isTyped ? ["NN"] + refusals.compactMap(\.words.first) : nil,
            advice: isTyped ? phone.typeAdvice : phone.numberAdvice(numbers.map(\.description).joined(separator: ", ")))
    }

    /// The question about several requests. A nil decision asks about each of them.
    package func choiceForAll(about action: String?) -> Choice<Decision?> {
        let (phone, card) = (texts.phone, texts.card)
        return Choice(
            Text(action.map(card.questionAll) ?? phone.questionAll),
            [
                .init(phone.yes, .allow(pick: nil)), .init(phone.no, .reject), .init(phone.report, .report),
                .init(phone.each, nil),
            ], advice: phone.adviceAll)
    }
}

extension Language {
    /// Language of messages (POSIX XBD 8.2): the first of `LC_ALL`, `LC_MESSAGES`, `LANG` that is not empty.
    package static func preferred(by environment: [String: String]) -> Language {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return locale.flatMap { Language(tag: $0) } ?? .english
    }
}
