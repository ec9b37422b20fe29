/// The languages that texts for people exist in.
package enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case french = "fr"

    /// The first language of a preference list that exists here: `ui_locales` (OIDC Core 3.1.2.1, space-separated,
    /// best first) before `Accept-Language` (RFC 9110 clause 12.5.4), English otherwise.
    package static func preferred(uiLocales: String?, acceptLanguage: String?) -> Language {
        if uiLocales == nil, acceptLanguage == nil { return .english }
        for tag in (uiLocales ?? "").split(separator: " ") {
            if let language = Language(tag: tag) { return language }
        }
        var best: (language: Language, quality: Double)?
        for part in (acceptLanguage ?? "").prefix(1000).split(separator: ",") {
            let fields = part.split(separator: ";")
            guard let tag = fields.first, let language = Language(tag: trimmed(tag)) else { continue }
            let quality = fields.dropFirst().lazy.map { trimmed($0) }.first { $0.hasPrefix("q=") }
            let value = quality.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if value > 0, value > best?.quality ?? 0 { best = (language, value) }
        }
        return best?.language ?? .english
    }

    /// Reads the primary subtag of a language tag (RFC 5646): `fr-CA` is French.
    private init?(tag: some StringProtocol) {
        self.init(rawValue: String(tag.prefix { $0 != "-" }).lowercased())
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}

/// One text in every language.
package struct LocalizedText: Sendable, Equatable, ExpressibleByStringLiteral {
    private let english: String
    private let french: String

    package init(en english: String, fr french: String) {
        self.english = english
        self.french = french
    }

    /// A text that is the same in every language, such as a name.
    package init(stringLiteral value: String) { self.init(en: value, fr: value) }

    package subscript(language: Language) -> String {
        switch language {
        case .english: english
        case .french: french
        }
    }
}
