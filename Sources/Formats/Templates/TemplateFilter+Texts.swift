import Primitives

extension TemplateFilter {
    /// The result of a filter that changes a text. Other values are taken as the text that output shows.
    func changed(_ call: Call) throws(Fault) -> TemplateValue {
        let input = call.input
        let text = input.plain
        switch self {
        case .append: return try Self.joined(input, call.argument(0) ?? .none, call)
        case .prepend: return try Self.joined(call.argument(0) ?? .none, input, call)
        case .escape, .h:
            if call.format == .plain || input.isNone { return call.text(text) }
            return call.markup((input.isOutside ? text.visible : text).escapedForHTML)
        case .escapeOnce:
            if call.format == .plain { return call.text(text) }
            // Entities of an outside text could spell what a mail program makes a link of.
            return call.markup(
                input.isOutside ? HTMLText.unescaped(text).visible.escapedForHTML : Self.escapedOnce(text))
        case .newlineToBreak:
            // Also of outside text, whose lines output would not keep.
            let lines = input.lines.map { Self.safe($0, as: call.format) }
            return call.markup(try Self.list(lines, joinedBy: "<br />\n"))
        case .capitalize:
            let scalars = text.unicodeScalars
            guard let first = scalars.first else { return call.text(text) }
            return call.text(first.properties.titlecaseMapping + String(scalars.dropFirst()).lowercased())
        case .upcase: return call.text(text.uppercased())
        case .downcase: return call.text(text.lowercased())
        case .strip: return call.same(Self.trimmed(text, start: true, end: true))
        case .lstrip: return call.same(Self.trimmed(text, start: true, end: false))
        case .rstrip: return call.same(Self.trimmed(text, start: false, end: true))
        case .stripNewlines: return call.same(input.lines.map(\.plain).joined())
        case .stripHTML: return call.text(HTMLText.withoutTags(text))
        case .urlEncode: return call.text(Self.encoded(text, isOutside: input.isOutside))
        case .urlDecode:
            guard let decoded = Self.decoded(text) else { throw .problem("the decoded text is no UTF-8") }
            return call.text(decoded)
        case .base64Encode: return call.text(Base64.encode(Array(text.utf8)))
        case .base64URLEncode: return call.text(Self.padded(Base64URL.encode(Array(text.utf8))))
        case .base64Decode: return try Self.text(Base64.decode(text), call)
        case .base64URLDecode:
            let isPadded = text.utf8.last == UInt8(ascii: "=")
            let symbols = text.utf8.prefix { $0 != UInt8(ascii: "=") }
            let isWhole = !isPadded || Self.padded(String(symbols) ?? "") == text
            return try Self.text(isWhole ? Base64URL.decode(symbols) : nil, call)
        case .truncate:
            return call.text(
                Self.truncated(text, try call.integer(0) ?? 50, call.argument(1)?.plain ?? "...", isNone: input.isNone))
        case .truncatewords:
            return call.text(Self.truncated(words: text, try call.integer(0) ?? 15, call.argument(1)?.plain ?? "..."))
        default: return call.text(try replaced(text, call))
        }
    }

    private func replaced(_ text: String, _ call: Call) throws(Fault) -> String {
        let part = call.argument(0)?.plain ?? ""
        let other = call.argument(1)?.plain ?? ""
        let replaced: String?
        switch self {
        case .replace, .remove:
            replaced =
                part.isEmpty
                ? Self.spread(text, other)
                : ByteSearch(part).replaced(in: text, by: other, size: Template.outputLimit)
        case .replaceFirst, .removeFirst:
            replaced =
                part.isEmpty
                ? other + text : ByteSearch(part).replaced(in: text, by: other, limit: 1, size: Template.outputLimit)
        default:
            replaced =
                part.isEmpty ? text + other : ByteSearch(part).replacedLast(in: text, by: other)
        }
        guard let replaced else { throw .tooLong }
        return replaced
    }

    /// The text with `other` around each of its characters: an empty part is everywhere. Nil if it is too long.
    private static func spread(_ text: String, _ other: String) -> String? {
        guard !other.isEmpty else { return text }
        let scalars = text.unicodeScalars
        guard (scalars.count + 1) * other.utf8.count + text.utf8.count <= Template.outputLimit else { return nil }
        return scalars.reduce(into: other) { output, scalar in
            output.unicodeScalars.append(scalar)
            output += other
        }
    }

    private static func text(_ bytes: [UInt8]?, _ call: Call) throws(Fault) -> TemplateValue {
        guard let bytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw .problem("the text is no Base64 of a text")
        }
        return call.text(text)
    }

    private static func padded(_ symbols: String) -> String {
        symbols + String(repeating: "=", count: (4 - symbols.utf8.count % 4) % 4)
    }

    // MARK: output

    /// The text as output takes it: the only way of a value into the output.
    static func safe(_ value: TemplateValue, as format: Template.Format) -> String {
        switch value {
        case .text(let text, let origin):
            if origin.isMarkup { return text }
            let shown = origin.isOutside ? text.visible : text
            return format == .html ? shown.escapedForHTML : shown
        case .list(let list): return sideBySide(list.elements, as: format)
        default: return format == .html ? value.plain.escapedForHTML : value.plain
        }
    }

    private static func sideBySide(_ values: [TemplateValue], as format: Template.Format) -> String {
        var (output, junction) = ("", TextJunction())
        add(values, to: &output, at: &junction, as: format)
        return output
    }

    private static func add(
        _ values: [TemplateValue], to output: inout String, at junction: inout TextJunction,
        as format: Template.Format
    ) {
        for value in values {
            if case .list(let list) = value {
                add(list.elements, to: &output, at: &junction, as: format)
            } else {
                output += junction.joined(safe(value, as: format), isOutside: value.isOutside, as: format)
            }
        }
    }

    private static func joined(
        _ one: TemplateValue, _ other: TemplateValue, _ call: Call
    ) throws(Fault) -> TemplateValue {
        let text = sideBySide([one, other], as: call.format)
        guard text.utf8.count <= Template.outputLimit else { throw .tooLong }
        return call.markup(text)
    }

    static func list(_ texts: [String], joinedBy separator: String) throws(Fault) -> String {
        let size = texts.reduce(0) { $0 + $1.utf8.count } + separator.utf8.count * max(texts.count - 1, 0)
        guard size <= Template.outputLimit else { throw .tooLong }
        return texts.joined(separator: separator)
    }

    // MARK: escapes

    /// Escapes what is not a part of an entity already.
    private static func escapedOnce(_ text: String) -> String {
        var output: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "&"), beginsEntity(rest) {
                output.append(byte)
            } else {
                output +=
                    String(Unicode.Scalar(byte)).escapedForHTML.utf8.count > 1
                    ? Array(String(Unicode.Scalar(byte)).escapedForHTML.utf8) : [byte]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// True if letters, or `#` and digits, stand before a semicolon.
    private static func beginsEntity(_ rest: ArraySlice<UInt8>) -> Bool {
        let isNumeric = rest.first == UInt8(ascii: "#")
        let name = rest.dropFirst(isNumeric ? 1 : 0)
        let end = name.firstIndex { !(isNumeric ? $0.isDigit : (0x61...0x7A).contains($0 | 0x20)) }
        return end.map { $0 > name.startIndex && name[$0] == UInt8(ascii: ";") } ?? false
    }

    /// As a form has it: `+` for a space. Outside text has its dots encoded, too: output would put joiners after them.
    private static func encoded(_ text: String, isOutside: Bool) -> String {
        let encoded = PercentEncoding.encode(text)
        let form = ByteSearch("%20").replaced(in: encoded, by: "+", size: .max) ?? encoded
        return isOutside ? ByteSearch(".").replaced(in: form, by: "%2E", size: .max) ?? form : form
    }

    /// Escapes that are broken stay. Nil if the result is no UTF-8.
    private static func decoded(_ text: String) -> String? {
        var output: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let high = Character(Unicode.Scalar(rest[rest.startIndex])).hexDigitValue,
                let low = Character(Unicode.Scalar(rest[rest.startIndex + 1])).hexDigitValue
            {
                output.append(UInt8(high << 4 | low))
                rest = rest.dropFirst(2)
            } else {
                output.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(validating: output, as: UTF8.self)
    }

    // MARK: parts

    /// The result of a filter that takes a text apart.
    func cut(_ call: Call) throws(Fault) -> TemplateValue {
        if self == .split { return try Self.split(call, by: call.argument(0)?.plain ?? "") }
        let start = try call.integer(0) ?? 0
        let hasLength = call.argument(1).map { !$0.isNone } ?? false
        let length = hasLength ? try call.integer(1) ?? 1 : 1
        func range(_ count: Int) -> Range<Int>? {
            let first = start < 0 ? count + start : start
            return (0...count).contains(first) && length >= 0 ? first..<min(first + length, count) : nil
        }
        if case .list(let list) = call.input {
            return .list(TemplateList(range(list.elements.count).map { Array(list.elements[$0]) } ?? []))
        }
        let scalars = Array(call.input.plain.unicodeScalars)
        return call.text(String(String.UnicodeScalarView(range(scalars.count).map { scalars[$0] } ?? [])))
    }

    /// Empty pieces at the end are left out, as in Ruby. A space stands for any white space.
    private static func split(_ call: Call, by separator: String) throws(Fault) -> TemplateValue {
        // One piece more than allowed shows that there are too many.
        let limit = Template.elementLimit + 1
        let text = call.input.plain
        var pieces: [String]
        switch separator {
        case "": pieces = text.unicodeScalars.prefix(limit).map { String($0) }
        case " ":
            pieces = text.utf8.split(maxSplits: limit, whereSeparator: \.isLiquidSpace).map { String(Substring($0)) }
        default: pieces = ByteSearch(separator).pieces(of: text, limit: limit)
        }
        while pieces.last?.isEmpty == true { pieces.removeLast() }
        return try bounded(pieces.map(call.text))
    }

    /// White space and NUL at the ends go.
    private static func trimmed(_ text: String, start: Bool, end: Bool) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte.isLiquidSpace || byte == 0 }
        var rest = Substring(text).utf8
        if start { rest = rest.drop(while: isSpace) }
        if end { rest = rest[..<(rest.lastIndex { !isSpace($0) }.map(rest.index(after:)) ?? rest.startIndex)] }
        return String(Substring(rest))
    }

    /// The mark counts.
    private static func truncated(_ text: String, _ length: Int, _ mark: String, isNone: Bool) -> String {
        let scalars = text.unicodeScalars
        guard !isNone, scalars.count > length else { return text }
        return String(scalars.prefix(max(length - mark.unicodeScalars.count, 0))) + mark
    }

    /// White space after the last word counts as a further word.
    private static func truncated(words text: String, _ count: Int, _ mark: String) -> String {
        var words: [Substring.UTF8View] = []
        var rest = Substring(text).utf8.drop(while: \.isLiquidSpace)
        while words.count < max(count, 1) {
            words.append(rest.prefix { !$0.isLiquidSpace })
            rest = rest[(words.last?.endIndex ?? rest.startIndex)...]
            if rest.isEmpty { return text }
            rest = rest.drop(while: \.isLiquidSpace)
        }
        return words.map { Substring($0) }.joined(separator: " ") + mark
    }
}

extension TemplateValue {
    /// The lines of a text, each as safe as the text.
    fileprivate var lines: [TemplateValue] {
        guard case .text(let text, let origin) = self else { return [self] }
        let pieces = ByteSearch("\n").pieces(of: text)
        return pieces.enumerated().map { index, line in
            // A line that ends in a carriage return, too.
            let endsInBoth = index < pieces.count - 1 && line.utf8.last == 0x0D
            return .text(endsInBoth ? String(line.unicodeScalars.dropLast()) : line, origin)
        }
    }
}
