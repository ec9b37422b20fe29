package import Localization
package import Primitives

/// A time zone's difference to UTC at one time, and its name.
package struct ZoneOffset: Sendable, Equatable {
    package let seconds: Int
    package let name: String

    package init(seconds: Int, name: String) {
        self.seconds = seconds
        self.name = name
    }

    package static let utc = ZoneOffset(seconds: 0, name: "UTC")
}

extension PresentedValue.Content {
    /// The value in a language. Nil for a list or an object, whose values have texts of their own.
    ///
    /// A text that could be taken for another kind of value is in quotation marks, so that no two values without
    /// declared formats have the same text.
    package func text(
        in language: Language, zone: (Timestamp) -> ZoneOffset = { _ in .utc }
    ) -> String? {
        let (values, words) = (language.texts.values, language.texts.consent)
        switch self {
        case .none: return words.none
        case .flag(let flag): return flag ? words.yes : words.no
        case .number(let literal): return literal
        case .text(let text): return Self.isAmbiguous(text, words) ? JSONWriter.string(.string(text)) : text
        case .money(let amount, let currency):
            return Money(amount, currency).text(in: language)
        case .date(let text): return values.date(text)
        case .time(let time):
            let offset = zone(time)
            let local = (time + .seconds(offset.seconds)).iso8601
            let parts = local.dropLast().split(separator: "T")
            guard parts.count == 2, let second = parts[1].split(separator: ":").last else { return local }
            let clock =
                second == "00.000" ? parts[1].prefix(5) : second.hasSuffix(".000") ? parts[1].prefix(8) : parts[1]
            return "\(values.date(String(parts[0]))), \(clock) \(offset.name)"
        case .account(let text): return text
        case .emptyObject: return "{}"
        case .emptyList: return "[]"
        case .members, .elements: return nil
        }
    }

    /// True for a text that is also the text of another value, or whose ends cannot be seen.
    private static func isAmbiguous(_ text: String, _ words: Texts.Consent) -> Bool {
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else { return true }
        if first.properties.isWhitespace || last.properties.isWhitespace || first == "\"" { return true }
        if [words.none, words.yes, words.no, "{}", "[]"].contains(text) { return true }
        return text.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil
    }
}

extension Texts.Values {
    /// `date` is `YYYY-MM-DD`.
    fileprivate func date(_ text: String) -> String {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, months.indices.contains(parts[1] - 1) else { return text }
        return day(parts[2], months[parts[1] - 1], parts[0])
    }
}
