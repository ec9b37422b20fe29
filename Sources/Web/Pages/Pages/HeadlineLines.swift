import ApprovalWire
import Localization
import Primitives

/// Headline of a request, a line for each of its details.
struct HeadlineLines {
    let details: [JSONObject]
    let presentation: [JSONObject]
    /// Nil is the reader's.
    var language: Language?

    /// Lines that fit above the fold of a phone.
    private static let limit = 3

    /// True if nothing counts more than the rest.
    var isEmpty: Bool { shown(.english).headlines.isEmpty }

    /// The lines. If they are too many, the sum of what they are about and their number: each is below.
    var html: Node {
        .translated(
            Localized { [self] reader in
                let language = self.language ?? reader
                let shown = shown(language)
                let headlines = shown.headlines
                var lines = headlines.prefix(Self.limit).map { Self.line($0.parts(in: language)) }
                if headlines.count > Self.limit {
                    if let action = shown.action(in: language) { lines = [Self.line([.value(action)])] }
                    lines.append(
                        Tag.span(.classes("several"), .part) { Node.text(language.texts.card.several(headlines.count)) }
                    )
                }
                return lines
            })
    }

    private static func line(_ parts: [Headline.Part]) -> Node {
        Tag.span(.classes("headline"), .part) {
            for part in parts {
                switch part {
                case .own(let text): Node.text(text)
                case .value(let text): Node.isolated(text)
                }
            }
        }
    }

    private func shown(_ language: Language) -> RequestPresentation {
        RequestPresentation(details: details, presentation: presentation, language: language.rawValue)
    }
}
