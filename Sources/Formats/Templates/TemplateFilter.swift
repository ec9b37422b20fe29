import Primitives

/// A filter. Only those that escape their input return markup; the result of any other is text from outside.
enum TemplateFilter: String, Sendable, CaseIterable {
    case append, capitalize, date, downcase, escape, first, join, last, lstrip, prepend, remove, replace, rstrip, size,
        slice, split, strip, truncate, truncatewords, upcase
    case plus, minus, times, modulo, round
    case dividedBy = "divided_by"
    case presetTo = "default"
    case escapeOnce = "escape_once"
    case newlineToBreak = "newline_to_br"
    case stripHTML = "strip_html"
    case stripNewlines = "strip_newlines"
    case urlDecode = "url_decode"
    case urlEncode = "url_encode"

    /// Permitted numbers of arguments.
    var arguments: ClosedRange<Int> {
        switch self {
        case .append, .date, .prepend, .presetTo, .remove, .split, .plus, .minus, .times, .modulo, .dividedBy: 1...1
        case .replace: 2...2
        case .join, .round: 0...1
        case .slice: 1...2
        case .truncate, .truncatewords: 0...2
        default: 0...0
        }
    }

    /// Nil if the result has more bytes or elements than a value may have. Also checked by the caller: here it saves the
    /// work.
    func apply(
        _ input: TemplateValue, _ arguments: [TemplateValue], as format: Template.Format, now: Timestamp
    ) -> TemplateValue? {
        let text = input.plain
        func argument(_ index: Int) -> TemplateValue? { index < arguments.count ? arguments[index] : nil }
        let first = argument(0)?.plain ?? ""
        switch self {
        case .append: return Self.joined(input, argument(0) ?? .none, as: format)
        case .prepend: return Self.joined(argument(0) ?? .none, input, as: format)
        case .presetTo: return input.isEmpty ? argument(0) : input
        case .escape, .escapeOnce:
            if format == .plain { return .text(text) }
            let unescaped = self == .escapeOnce ? HTMLText.unescaped(text) : text
            return .markup(unescaped.escapedForHTML)
        case .newlineToBreak:
            let safe = Self.safe(input, as: format)
            return Self.replaced(safe, "\r\n", "\n").flatMap { Self.replaced($0, "\n", "<br>\n") }.map { .markup($0) }
        case .capitalize: return .text(text.prefix(1).uppercased() + text.dropFirst().lowercased())
        case .upcase: return .text(text.uppercased())
        case .downcase: return .text(text.lowercased())
        case .strip: return .text(Self.trimmed(text, start: true, end: true))
        case .lstrip: return .text(Self.trimmed(text, start: true, end: false))
        case .rstrip: return .text(Self.trimmed(text, start: false, end: true))
        case .stripNewlines: return .text(text.filter { !$0.isNewline })
        case .stripHTML: return .text(HTMLText.withoutTags(text))
        case .urlEncode: return .text(PercentEncoding.encode(text))
        case .urlDecode: return .text(PercentEncoding.decode(Array(text.utf8), plusIsSpace: true) ?? text)
        case .replace: return Self.replaced(text, first, argument(1)?.plain ?? "").map { .text($0) }
        case .remove: return Self.replaced(text, first, "").map { .text($0) }
        case .truncate: return .text(Self.truncated(text, argument(0)?.int ?? 50, argument(1)?.plain ?? "..."))
        case .truncatewords:
            return .text(Self.truncated(words: text, argument(0)?.int ?? 15, argument(1)?.plain ?? "..."))
        case .slice: return Self.slice(input, argument(0)?.int ?? 0, argument(1)?.int ?? 1)
        case .split: return Self.split(text, by: first).map { .list($0) }
        case .join: return Self.list(input, joinedBy: argument(0)?.plain ?? " ").map { .text($0) }
        case .first: return input.member("first")
        case .last: return input.member("last")
        case .size: return input.member("size")
        case .date: return .text(TemplateDate(input, now: now)?.text(first) ?? text)
        case .plus, .minus, .times, .dividedBy, .modulo: return calculated(input, argument(0) ?? .none)
        case .round:
            let places = min(max(argument(0)?.int ?? 0, 0), 9)
            let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
            return .number(Self.spelled(((input.double ?? 0) * scale).rounded() / scale))
        }
    }

    // MARK: numbers

    private func calculated(_ input: TemplateValue, _ argument: TemplateValue) -> TemplateValue {
        let (left, right) = (input.double ?? 0, argument.double ?? 0)
        let areWhole = !input.plain.contains(".") && !argument.plain.contains(".")
        let result: Double =
            switch self {
            case .plus: left + right
            case .minus: left - right
            case .times: left * right
            // Whole numbers divide to whole numbers, as in Liquid. Nothing can be divided by zero.
            case .dividedBy: right == 0 ? 0 : areWhole ? (left / right).rounded(.down) : left / right
            default: right == 0 ? 0 : left - right * (left / right).rounded(.down)
            }
        return .number(Self.spelled(result))
    }

    private static func spelled(_ number: Double) -> String {
        number == number.rounded() && number.magnitude < 1e15 ? String(Int64(number)) : "\(number)"
    }

    // MARK: texts

    /// The text as HTML takes it.
    static func safe(_ value: TemplateValue, as format: Template.Format) -> String {
        switch (value, format) {
        case (_, .plain): value.plain
        case (.markup(let text), .html): text
        case (.list(let elements), .html): elements.map { safe($0, as: format) }.joined()
        case (_, .html): value.plain.escapedForHTML
        }
    }

    private static func joined(
        _ one: TemplateValue, _ other: TemplateValue, as format: Template.Format
    ) -> TemplateValue? {
        let text = safe(one, as: format) + safe(other, as: format)
        return text.utf8.count <= Template.outputLimit ? .markup(text) : nil
    }

    private static func replaced(_ text: String, _ part: String, _ other: String) -> String? {
        guard !part.isEmpty else { return text }
        let pieces = ByteSearch(part).pieces(of: text)
        let size = text.utf8.count + (pieces.count - 1) * (other.utf8.count - part.utf8.count)
        return size <= Template.outputLimit ? pieces.joined(separator: other) : nil
    }

    private static func list(_ value: TemplateValue, joinedBy separator: String) -> String? {
        guard case .list(let elements) = value else { return value.plain }
        let texts = elements.map(\.plain)
        let size = texts.reduce(0) { $0 + $1.utf8.count } + separator.utf8.count * max(texts.count - 1, 0)
        return size <= Template.outputLimit ? texts.joined(separator: separator) : nil
    }

    private static func split(_ text: String, by separator: String) -> [TemplateValue]? {
        // One piece more than allowed shows that there are too many.
        let limit = Template.elementLimit + 1
        var pieces =
            separator.isEmpty
            ? text.prefix(limit).map { String($0) } : ByteSearch(separator).pieces(of: text, limit: limit)
        if separator == " " { pieces.removeAll { $0.isEmpty } }
        return pieces.count < limit ? pieces.map { .text($0) } : nil
    }

    private static func trimmed(_ text: String, start: Bool, end: Bool) -> String {
        var text = text[...]
        if start { text = text.drop(while: \.isWhitespace) }
        while end, text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    /// The mark counts.
    private static func truncated(_ text: String, _ length: Int, _ mark: String) -> String {
        text.count <= max(length, 0) ? text : text.prefix(max(length - mark.count, 0)) + mark
    }

    private static func truncated(words text: String, _ count: Int, _ mark: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.count <= count ? text : words.prefix(max(count, 1)).joined(separator: " ") + mark
    }

    private static func slice(_ value: TemplateValue, _ start: Int, _ length: Int) -> TemplateValue {
        func range(_ count: Int) -> Range<Int> {
            let first = min(max(start < 0 ? count + start : start, 0), count)
            return first..<min(first + max(length, 0), count)
        }
        if case .list(let elements) = value { return .list(Array(elements[range(elements.count)])) }
        let characters = Array(value.plain)
        return .text(String(characters[range(characters.count)]))
    }
}
