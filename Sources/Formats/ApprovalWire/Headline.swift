package import Localization
package import Primitives

/// Values that count most in an authorization detail, such as an amount and its payee. Every screen shows it as the largest
/// text, above the words of the client.
package struct Headline: Sendable, Hashable {
    /// A text for people, and its author.
    package enum Part: Sendable, Equatable {
        /// Words of the catalogue.
        case own(String)
        /// A value of the request, which is shown as somebody's text.
        case value(String)

        package var text: String {
            switch self {
            case .own(let text), .value(let text): text
            }
        }
    }

    /// Never empty. None is a list, an object or nothing.
    let values: [PresentedValue.Content]
    /// True if the first value is an amount, and the second its payee.
    let isPayment: Bool

    /// The first amount. Nil means that another thing counts.
    package var money: Money? {
        values.lazy.compactMap {
            if case .money(let amount, let currency) = $0 { Money(amount, currency) } else { nil }
        }
        .first
    }

    /// The parts in their order, which together are a line.
    package func parts(
        in language: Language, zone: (Timestamp) -> ZoneOffset = { _ in .utc }
    ) -> [Part] {
        let texts = values.compactMap { $0.text(in: language, zone: zone) }
        if isPayment, texts.count == 2 {
            return language.texts.values.payment(Place(0), Place(1)).parts.map { part in
                switch part {
                case .text(let text): .own(text)
                case .place(let place): .value(texts[place.index])
                }
            }
        }
        return Array(texts.map { [Part.value($0)] }.joined(separator: [.own(" · ")]))
    }

    package func text(in language: Language, zone: (Timestamp) -> ZoneOffset = { _ in .utc }) -> String {
        parts(in: language, zone: zone).map(\.text).joined()
    }
}

extension RequestPresentation {
    /// Headlines of the details, in the order of the request. Empty if no detail has a headline.
    package var headlines: [Headline] { details.compactMap(\.headline) }

    /// The exact sum of the headlines' money for each currency, in the order of the request. Empty if money is elsewhere
    /// in a detail too, of which the sums would say nothing.
    package var sums: [Money] {
        guard details.allSatisfy(\.isWhole) else { return [] }
        return Money.sums(headlines.compactMap(\.money))
    }

    /// True if the request may be allowed together with others: each detail with money has a type that says so.
    package var isGroupable: Bool { details.allSatisfy { !$0.hasMoney || $0.isGroupable } }

    /// Text of the button beside "Allow": the sums, or else the first value of a single headline, if it is short.
    package func action(in language: Language, zone: (Timestamp) -> ZoneOffset = { _ in .utc }) -> String? {
        let sums = sums
        if !sums.isEmpty { return sums.map { $0.text(in: language) }.joined(separator: " + ") }
        guard details.count == 1, !details[0].hasMoney, let first = headlines.first?.values.first else { return nil }
        return first.text(in: language, zone: zone).flatMap { $0.unicodeScalars.count <= Self.actionLimit ? $0 : nil }
    }

    /// Characters that a button shows in one line of a narrow phone.
    private static let actionLimit = 24
}
