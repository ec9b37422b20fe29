import Primitives

/// Text of a mail's HTML, for readers of plain text.
package enum HTMLText {
    /// Maximum tags of one mail.
    package static let tagLimit = 20_000

    /// Text with a line for each block and the address of each link after its words. Linear in the size of `html`.
    /// Throws if `html` has more bytes than a template renders, or too many tags.
    package static func text(of html: String) throws(TemplateFailure) -> String {
        guard html.utf8.count <= Template.outputLimit else {
            throw TemplateFailure("the HTML has more than \(Template.outputLimit) bytes", at: 0, in: html.utf8)
        }
        var reader = HTMLReader(Array(html.utf8))
        return try reader.text()
    }

    /// Text without scripts, styles, comments and tags. Entities stay, and so does a `<` that nothing closes.
    static func withoutTags(_ html: String) -> String {
        let blocks = [("<script", "</script>"), ("<!--", "-->"), ("<style", "</style>")]
        let text = without(blocks, in: Array(html.utf8))
        return String(decoding: without([("<", ">")], in: text), as: UTF8.self)
    }

    /// The text without all that stands between one of these openings and the next closing of its kind.
    private static func without(_ kinds: [(opening: String, closing: String)], in text: [UInt8]) -> [UInt8] {
        // Offsets of all closings: those before the position are dropped, so that the work is linear.
        var closings = kinds.map { ByteSearch($0.closing).occurrences(in: text)[...] }
        var output: [UInt8] = []
        var position = 0
        while position < text.count {
            let rest = text[position...]
            let kind = kinds.indices.first { kind in
                guard text[position] == UInt8(ascii: "<"), rest.starts(with: kinds[kind].opening.utf8) else {
                    return false
                }
                let start = position + kinds[kind].opening.utf8.count
                closings[kind] = closings[kind].drop { $0 < start }
                return !closings[kind].isEmpty
            }
            if let kind, let end = closings[kind].first {
                position = end + kinds[kind].closing.utf8.count
            } else {
                output.append(text[position])
                position += 1
            }
        }
        return output
    }

    private static let entities: [String: String] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "copy": "©", "reg": "®",
        "trade": "™", "euro": "€", "hellip": "…", "ndash": "–", "mdash": "—", "laquo": "«", "raquo": "»", "rsquo": "’",
        "lsquo": "‘", "rdquo": "”", "ldquo": "“", "bull": "•", "middot": "·", "zwnj": "\u{200C}",
    ]

    /// Replaces the usual named entities and the numeric ones. Others stay.
    static func unescaped(_ text: String) -> String {
        String(decoding: unescaped(Array(text.utf8)[...]), as: UTF8.self)
    }

    static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            // The longest entity has fewer bytes.
            if byte == UInt8(ascii: "&"), let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let character = character(String(decoding: rest[..<end], as: UTF8.self))
            {
                output += character.utf8
                rest = rest[(end + 1)...]
            } else {
                output.append(byte)
            }
        }
        return output
    }

    private static func character(_ name: String) -> String? {
        guard name.first == "#" else { return entities[name] }
        let digits = name.dropFirst()
        let value =
            digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let value, value >= 0x20 || value == 0x0A, let scalar = Unicode.Scalar(value) else { return nil }
        return String(Character(scalar))
    }
}

/// Walks HTML once, byte by byte. No step looks at more of the output than the end that it changes.
private struct HTMLReader {
    private let source: [UInt8]
    private var position = 0
    private var output: [UInt8] = []
    private var tags = 0
    /// Address of the link around the position, and the length of the output before its words.
    private var link: (address: String, start: Int)?

    init(_ source: [UInt8]) { self.source = source }

    private static let invisible: Set = ["head", "style", "script", "title", "template"]
    private static let blocks: Set = [
        "p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table", "blockquote", "pre", "section", "header",
        "footer", "main", "article", "hr",
    ]
    private static let lines: Set = ["br", "tr", "li", "dt", "dd"]
    private static let newline = UInt8(ascii: "\n")

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    mutating func text() throws(TemplateFailure) -> String {
        while position < source.count {
            guard source[position] == UInt8(ascii: "<") else {
                readText()
                continue
            }
            tags += 1
            guard tags <= HTMLText.tagLimit else {
                throw TemplateFailure("the HTML has more than \(HTMLText.tagLimit) tags", at: position, in: source)
            }
            readTag()
        }
        var kept: [UInt8] = []
        // An empty line is kept only after a line with text.
        var isAfterText = false
        for line in output.split(separator: Self.newline, omittingEmptySubsequences: false) {
            let line = line.trimmed(Self.isBlank)
            guard !line.isEmpty || isAfterText else { continue }
            isAfterText = !line.isEmpty
            kept += line
            kept.append(Self.newline)
        }
        return String(decoding: kept[...].trimmed { $0 == Self.newline }, as: UTF8.self)
    }

    private mutating func readText() {
        let end = source[position...].firstIndex(of: UInt8(ascii: "<")) ?? source.count
        let raw = source[position..<end]
        position = end
        if raw.first.map(Self.isBlank) == true { blank() }
        let words = Array(raw.split(whereSeparator: Self.isBlank).joined(separator: [0x20]))
        output += HTMLText.unescaped(words[...])
        if raw.last.map(Self.isBlank) == true { blank() }
    }

    private mutating func blank() {
        if let last = output.last, !Self.isBlank(last) { output.append(0x20) }
    }

    private mutating func breakLine(_ count: Int) {
        guard !output.isEmpty else { return }
        let ending = output.suffix(count).reversed().prefix { $0 == Self.newline }.count
        output += [UInt8](repeating: Self.newline, count: count - ending)
    }

    private mutating func readTag() {
        if source[position...].starts(with: "<!--".utf8) {
            position = end(of: "-->", from: position + 4)
            return
        }
        var end = position + 1
        var quote: UInt8?
        while end < source.count {
            let byte = source[end]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                break
            }
            end += 1
        }
        let inside = source[position + 1..<min(end, source.count)]
        position = min(end + 1, source.count)
        let isEnd = inside.first == UInt8(ascii: "/")
        let letters = (isEnd ? inside.dropFirst() : inside).prefix(16).prefix {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20)
        }
        let name = String(decoding: letters, as: UTF8.self).lowercased()
        if !isEnd, Self.invisible.contains(name), inside.last != UInt8(ascii: "/") {
            position = self.end(of: "</\(name)", from: position)
            if position < source.count { readTag() }
        } else if Self.blocks.contains(name) {
            breakLine(2)
        } else if name == "li", !isEnd {
            breakLine(1)
            output += "- ".utf8
        } else if Self.lines.contains(name), !isEnd {
            breakLine(1)
        } else if name == "td" || name == "th" {
            blank()
        } else if name == "a" {
            isEnd ? endLink() : beginLink(inside)
        } else if name == "img", let text = Self.attribute("alt", of: inside) {
            output += text
        }
    }

    private mutating func beginLink(_ tag: ArraySlice<UInt8>) {
        link = Self.attribute("href", of: tag).map { (String(decoding: $0, as: UTF8.self), output.count) }
    }

    private mutating func endLink() {
        guard let (address, start) = link else { return }
        link = nil
        guard !address.isEmpty, !address.hasPrefix("#"), !ByteSearch(address).isIn(output[start...]) else { return }
        output += " (\(address))".utf8
    }

    /// Value of a tag's first attribute of this name. Names within values do not count.
    private static func attribute(_ name: String, of tag: ArraySlice<UInt8>) -> [UInt8]? {
        func separates(_ byte: UInt8) -> Bool { isBlank(byte) || byte == UInt8(ascii: "/") }
        var rest = tag.drop { !separates($0) }
        while true {
            rest = rest.drop(while: separates)
            guard !rest.isEmpty else { return nil }
            // An equals sign at the start is a part of the name.
            let end = rest.dropFirst().firstIndex { separates($0) || $0 == UInt8(ascii: "=") } ?? rest.endIndex
            let isWanted = rest[..<end].elementsEqual(name.utf8) { $0 | 0x20 == $1 }
            rest = rest[end...].drop(while: isBlank)
            guard rest.first == UInt8(ascii: "=") else {
                if isWanted { return [] }
                continue
            }
            rest = rest.dropFirst().drop(while: isBlank)
            let value: ArraySlice<UInt8>
            if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                value = rest.dropFirst().prefix { $0 != quote }
                rest = rest[value.endIndex...].dropFirst()
            } else {
                value = rest.prefix { !isBlank($0) }
                rest = rest[value.endIndex...]
            }
            if isWanted { return HTMLText.unescaped(value) }
        }
    }

    /// Offset of the first occurrence, without regard to case, or the end of the source. Behind a comment's end.
    private func end(of text: String, from start: Int) -> Int {
        let wanted = Array(text.utf8)
        var position = start
        while position + wanted.count <= source.count {
            let isHere = zip(source[position...], wanted).allSatisfy { byte, other in
                ((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) == other
            }
            if isHere { return text == "-->" ? position + wanted.count : position }
            position += 1
        }
        return source.count
    }
}
