import Localization
import Primitives

/// A part of a page. It consists of elements, attributes and texts, and every text is escaped when written, so markup
/// cannot be injected.
package struct HTML: Sendable {
    let nodes: [Node]

    init(_ nodes: [Node]) { self.nodes = nodes }

    init(@HTMLBuilder _ content: () -> [Node]) { nodes = content() }
}

/// A node of a page's tree.
indirect enum Node: Sendable {
    /// Untrusted text, the same in every language.
    case text(String)
    /// The page's own words.
    case words(LocalizedText)
    /// The page's own words with other nodes at their places.
    case sentence(Localized<Phrase>, [Node])
    /// Nodes that differ between languages.
    case translated(Localized<[Node]>)
    case element(Tag, [Attribute], [Node])
    /// A constant script, written without escaping.
    case script(InlineScript)

    static func phrase(_ words: Localized<@Sendable (Place) -> Phrase>, _ part: Node) -> Node {
        .sentence(words(Place(0)), [part])
    }

    static func phrase(_ words: Localized<@Sendable (Place, Place) -> Phrase>, _ first: Node, _ second: Node) -> Node {
        .sentence(words(Place(0), Place(1)), [first, second])
    }

    /// Untrusted text within a sentence, isolated so that it keeps its own writing direction (HTML 4.5.25). That does
    /// not stop marks of direction within it, which are shown by their numbers, as other unseen characters are.
    static func isolated(_ text: String) -> Node { .element(.bdi, [], [.text(text.showingUnseen)]) }

    /// Untrusted text that has to be read, in parts that fit into view.
    static func read(_ text: String) -> Node {
        let shown = text.showingUnseen
        guard shown.count > partLimit else { return .element(.bdi, [.part], [.text(shown)]) }
        let starts = sequence(first: shown.startIndex) { start in
            shown.index(start, offsetBy: partLimit, limitedBy: shown.endIndex).flatMap {
                $0 < shown.endIndex ? $0 : nil
            }
        }
        let parts = starts.map { shown[$0...].prefix(partLimit) }
        return .element(.bdi, [], parts.map { .element(.span, [.part], [.text(String($0))]) })
    }

    /// Characters of a text that fit into view at once, also in large letters.
    private static let partLimit = 500

    /// The parts that have to be read in this node and below it.
    func parts(in language: Language) -> Int {
        switch self {
        case .text, .words, .script: 0
        case .sentence(_, let nodes): nodes.parts(in: language)
        case .translated(let nodes): nodes[language].parts(in: language)
        case .element(_, let attributes, let nodes):
            nodes.parts(in: language) + (attributes.contains(where: \.isPart) ? 1 : 0)
        }
    }

    /// The same for sentences without elements.
    static func isolatedText(_ text: String) -> String { "\u{2068}\(text.showingUnseen)\u{2069}" }
}

extension [Node] {
    func parts(in language: Language) -> Int { reduce(0) { $0 + $1.parts(in: language) } }
}

/// The elements that pages use.
enum Tag: String, Sendable {
    case a, bdi, blockquote, body, button, code, dd, details, div, dl, dt, fieldset, figcaption, figure, footer, form
    case h1, h2, head, header, html, img, input, label, legend, li, link, main, meta, nav, noscript, ol, option, p, path
    case pre, rect, script, select, span, strong, summary, svg, table, tbody, td, textarea, th, thead, time, title, tr
    case ul

    /// True if the element has no content and no end tag (HTML 13.1.2).
    var isVoid: Bool {
        switch self {
        case .img, .input, .link, .meta: true
        default: false
        }
    }

    func callAsFunction(_ attributes: Attribute?..., @HTMLBuilder content: () -> [Node] = { [] }) -> Node {
        .element(self, attributes.compactMap(\.self), content())
    }
}

@resultBuilder
enum HTMLBuilder {
    static func buildExpression(_ node: Node) -> [Node] { [node] }
    static func buildExpression(_ nodes: [Node]) -> [Node] { nodes }
    static func buildExpression(_ words: LocalizedText) -> [Node] { [.words(words)] }
    static func buildExpression(_ html: HTML) -> [Node] { html.nodes }
    static func buildBlock(_ parts: [Node]...) -> [Node] { parts.flatMap(\.self) }
    static func buildOptional(_ part: [Node]?) -> [Node] { part ?? [] }
    static func buildEither(first: [Node]) -> [Node] { first }
    static func buildEither(second: [Node]) -> [Node] { second }
    static func buildArray(_ parts: [[Node]]) -> [Node] { parts.flatMap(\.self) }
}
