/// A strict reader of HTML pages that refuses everything a browser would repair.
package struct Markup {
    package final class Element {
        package let name: String
        package let attributes: [(name: String, value: String)]
        package fileprivate(set) var children: [Child] = []

        init(name: String, attributes: [(name: String, value: String)]) {
            self.name = name
            self.attributes = attributes
        }

        package subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

        private var elements: [Element] {
            children.compactMap { if case .element(let element) = $0 { element } else { nil } }
        }

        /// This element and its descendants, in document order.
        package var all: [Element] { [self] + elements.flatMap(\.all) }

        /// The same without what a script shows later.
        package var shown: [Element] {
            self["hidden"] != nil ? [] : [self] + elements.flatMap(\.shown)
        }

        package func all(_ name: String) -> [Element] { all.filter { $0.name == name } }

        /// Pieces of text within, without blank ones.
        package var texts: [String] {
            children.flatMap { child in
                switch child {
                // Scripts are not visible text.
                case .element(let element): element.name == "script" ? [] : element.texts
                case .text(let text): text.allSatisfy(\.isWhitespace) ? [] : [text]
                }
            }
        }

        package var text: String {
            children.map { child in
                switch child {
                case .element(let element): element.text
                case .text(let text): text
                }
            }.joined()
        }

        /// Text that a person sees before any script ran.
        package var shownText: String {
            guard self["hidden"] == nil else { return "" }
            return children.map { child in
                switch child {
                case .element(let element): element.shownText
                case .text(let text): text
                }
            }.joined()
        }
    }

    package enum Child {
        case element(Element)
        case text(String)
    }

    package struct Malformed: Error {
        package let reason: String
    }

    private static let void: Set<String> = ["img", "input", "link", "meta"]

    private var rest: Substring.UnicodeScalarView

    /// Reads a document and returns its root.
    package static func read(_ bytes: [UInt8]) throws -> Element {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed(reason: "no UTF-8") }
        var reader = Markup(rest: text[...].unicodeScalars)
        try reader.expect("<!doctype html>\n")
        let document = Element(name: "", attributes: [])
        try reader.content(of: document)
        guard reader.rest.isEmpty, case .element(let root) = document.children.first, root.name == "html" else {
            throw Malformed(reason: "not one html element")
        }
        return root
    }

    private mutating func content(of parent: Element) throws {
        while !rest.isEmpty {
            if starts("</") {
                guard !parent.name.isEmpty else { throw Malformed(reason: "end tag without a start") }
                try expect("</\(parent.name)>")
                return
            }
            if rest.first == "<" {
                let element = try startTag()
                parent.children.append(.element(element))
                if element.name == "script" {
                    try script(of: element)
                } else if !Self.void.contains(element.name) {
                    try content(of: element)
                }
            } else {
                parent.children.append(.text(try references(in: take { $0 != "<" })))
            }
        }
        if !parent.name.isEmpty { throw Malformed(reason: "no end tag of \(parent.name)") }
    }

    /// Raw text up to the end tag (HTML 13.1.2.1), without text that could end it elsewhere.
    private mutating func script(of element: Element) throws {
        let text = take { $0 != "<" }
        if !text.isEmpty { element.children.append(.text(text)) }
        try expect("</script>")
    }

    private mutating func startTag() throws -> Element {
        try expect("<")
        let name = take { ("a"..."z").contains($0) || ("0"..."9").contains($0) }
        guard !name.isEmpty else { throw Malformed(reason: "< without a name") }
        var attributes: [(name: String, value: String)] = []
        while rest.first == " " {
            rest.removeFirst()
            let attribute = take { ("a"..."z").contains($0) || ("A"..."Z").contains($0) || $0 == "-" }
            guard !attribute.isEmpty, !attributes.contains(where: { $0.name == attribute }) else {
                throw Malformed(reason: "attribute \(attribute) of \(name)")
            }
            var value = ""
            if starts("=") {
                try expect("=\"")
                value = try references(in: take { $0 != "\"" })
                try expect("\"")
            }
            attributes.append((attribute, value))
        }
        try expect(">")
        return Element(name: name, attributes: attributes)
    }

    private func references(in text: String) throws -> String {
        var output = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            output += rest[..<start]
            guard let end = rest[start...].firstIndex(of: ";") else { throw Malformed(reason: "& in \(text)") }
            let name = String(rest[start...end])
            let known = ["&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": "\"", "&#39;": "'", "&#13;": "\r"]
            guard let character = known[name] else { throw Malformed(reason: name) }
            output += character
            rest = rest[end...].dropFirst()
        }
        output += rest
        guard !text.contains(where: { "<>\"'".contains($0) }) else { throw Malformed(reason: "not escaped: \(text)") }
        return output
    }

    private func starts(_ text: String) -> Bool { rest.starts(with: text.unicodeScalars) }

    private mutating func expect(_ text: String) throws {
        guard starts(text) else { throw Malformed(reason: "no \(text) at \(String(rest.prefix(40)))") }
        rest.removeFirst(text.unicodeScalars.count)
    }

    private mutating func take(while condition: (Unicode.Scalar) -> Bool) -> String {
        let part = rest.prefix(while: condition)
        rest = rest[part.endIndex...]
        return String(part)
    }
}
