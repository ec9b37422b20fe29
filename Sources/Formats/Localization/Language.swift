/// A language that people can read the product in.
package struct Language: RawRepresentable, CaseIterable, Hashable, Sendable {
    /// Every language. A file in Languages/ makes one, and this line lists it.
    package static let allCases: [Language] = [english, french, german]

    private let catalogue: Catalogue

    /// - Parameters:
    ///   - tag: the primary subtag (RFC 5646 clause 2.2.1).
    ///   - name: the name that the language's speakers use.
    ///   - typeset: puts the spaces of good typesetting into a text of a page.
    init(_ tag: String, name: String, typeset: @escaping @Sendable (String) -> String = { $0 }, texts: Texts) {
        catalogue = Catalogue(tag: tag, name: name, typeset: typeset, texts: texts)
    }

    package init?(rawValue: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = known
    }

    /// Reads the primary subtag of a language tag (RFC 5646) or of a POSIX locale: `fr-CA` and `fr_CA.UTF-8` are French.
    package init?(tag: some StringProtocol) {
        self.init(rawValue: String(tag.prefix { !"-_.@".contains($0) }).lowercased())
    }

    package var rawValue: String { catalogue.tag }
    package var name: String { catalogue.name }
    package var texts: Texts { catalogue.texts }

    package func typeset(_ text: String) -> String { catalogue.typeset(text) }

    package static func == (one: Language, other: Language) -> Bool { one.catalogue === other.catalogue }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(catalogue)) }

    /// The first known language of a preference list: `ui_locales` (OIDC Core 3.1.2.1, space-separated, best first)
    /// before `Accept-Language` (RFC 9110 clause 12.5.4), English otherwise.
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

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }

    /// Behind a reference, since users carry their language along.
    private final class Catalogue: Sendable {
        let tag, name: String
        let typeset: @Sendable (String) -> String
        let texts: Texts

        init(tag: String, name: String, typeset: @escaping @Sendable (String) -> String, texts: Texts) {
            self.tag = tag
            self.name = name
            self.typeset = typeset
            self.texts = texts
        }
    }
}
