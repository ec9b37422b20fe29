import Localization

/// Writes nodes as bytes in one language.
struct HTMLWriter {
    let language: Language
    private(set) var bytes: [UInt8] = []

    init(language: Language) {
        self.language = language
        bytes.reserveCapacity(8192)
    }

    /// The document with its doctype, which keeps browsers out of quirks mode.
    static func document(_ root: Node, in language: Language) -> [UInt8] {
        var writer = HTMLWriter(language: language)
        writer.raw("<!doctype html>\n")
        writer.write(root)
        writer.raw("\n")
        return writer.bytes
    }

    private mutating func raw(_ markup: String) { bytes.append(contentsOf: markup.utf8) }

    private mutating func write(_ nodes: [Node]) { for node in nodes { write(node) } }

    private mutating func write(_ node: Node) {
        switch node {
        case .text(let text): escape(text)
        case .words(let words): escape(language.typeset(words[language]))
        case .sentence(let words, let parts): write(words[language], parts)
        case .translated(let nodes): write(nodes[language])
        case .element(let tag, let attributes, let content):
            raw("<\(tag.rawValue)")
            for attribute in attributes { write(attribute) }
            raw(">")
            guard !tag.isVoid else { return }
            write(content)
            raw("</\(tag.rawValue)>")
        case .script(let script):
            raw("<script")
            for attribute in script.attributes { write(attribute) }
            raw(">\(script.text)</script>")
        }
    }

    private mutating func write(_ attribute: Attribute) {
        raw(" \(attribute.name)")
        switch attribute.value {
        case .present: return
        case .text(let text):
            raw("=\"")
            escape(text)
        case .words(let words):
            raw("=\"")
            escape(language.typeset(words[language]))
        }
        raw("\"")
    }

    private mutating func write(_ phrase: Phrase, _ parts: [Node]) {
        for part in phrase.parts {
            switch part {
            case .text(let text): escape(language.typeset(text))
            case .place(let place): write(parts[place.index])
            }
        }
    }

    /// Escapes special characters of text and quoted attributes (HTML 13.1.2.3). Writes control characters, which HTML
    /// does not allow, as the replacement character.
    private mutating func escape(_ text: some StringProtocol) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): raw("&amp;")
            case UInt8(ascii: "<"): raw("&lt;")
            case UInt8(ascii: ">"): raw("&gt;")
            case UInt8(ascii: "\""): raw("&quot;")
            case UInt8(ascii: "'"): raw("&#39;")
            case 0x0D: raw("&#13;")
            case 0..<0x09, 0x0B, 0x0C, 0x0E..<0x20, 0x7F: raw("\u{FFFD}")
            default: bytes.append(byte)
            }
        }
    }
}
