import Primitives

/// A filter. Only those that escape their input, or take white space from it, return markup.
enum TemplateFilter: String, Sendable, CaseIterable {
    case append, capitalize, date, downcase, escape, first, join, last, lstrip, prepend, remove, replace, rstrip, size,
        slice, split, strip, truncate, truncatewords, upcase
    case abs, ceil, floor, minus, modulo, plus, round, times
    case concat, map, reverse, sort, uniq
    case atLeast = "at_least"
    case atMost = "at_most"
    case dividedBy = "divided_by"
    case presetTo = "default"
    case escapeOnce = "escape_once"
    case newlineToBreak = "newline_to_br"
    case removeFirst = "remove_first"
    case replaceFirst = "replace_first"
    case stripHTML = "strip_html"
    case stripNewlines = "strip_newlines"
    case urlDecode = "url_decode"
    case urlEncode = "url_encode"

    /// Permitted numbers of arguments.
    var arguments: ClosedRange<Int> {
        switch self {
        case .append, .atLeast, .atMost, .concat, .date, .dividedBy, .map, .minus, .modulo, .plus, .prepend, .presetTo,
            .remove, .removeFirst, .split, .times:
            1...1
        case .replace, .replaceFirst: 2...2
        case .join, .round, .sort: 0...1
        case .slice: 1...2
        case .truncate, .truncatewords: 0...2
        default: 0...0
        }
    }

    /// The argument with a name that the filter takes after the others.
    var namedArgument: String? { self == .presetTo ? "allow_false" : nil }

    /// Bytes of the input that are a step. Work on characters and on order takes longer than work on bytes.
    var bytesOfStep: Int {
        switch self {
        case .capitalize, .date, .downcase, .escapeOnce, .lstrip, .map, .newlineToBreak, .remove, .replace, .rstrip,
            .size,
            .slice, .sort, .split, .strip, .stripNewlines, .truncate, .truncatewords, .uniq, .upcase:
            Template.charactersOfStep
        default: Template.bytesOfStep
        }
    }

    /// The input of a filter, with its arguments.
    struct Call {
        let input: TemplateValue
        let arguments: [TemplateValue]
        let format: Template.Format
        let now: Timestamp
        /// True if a client or a user wrote a part of the input or of an argument, which makes the result theirs.
        let isOutside: Bool

        init(_ input: TemplateValue, _ arguments: [TemplateValue], as format: Template.Format, now: Timestamp) {
            self.input = input
            self.arguments = arguments
            self.format = format
            self.now = now
            isOutside = input.isOutside || arguments.contains(where: \.isOutside)
        }

        func argument(_ index: Int) -> TemplateValue? { index < arguments.count ? arguments[index] : nil }

        /// A result that HTML escapes.
        func text(_ text: String) -> TemplateValue {
            .text(text, TemplateValue.Origin(isMarkup: false, isOutside: isOutside))
        }

        /// A result that is as safe as the input.
        func same(_ text: String) -> TemplateValue {
            if case .text(_, let origin) = input { .text(text, origin) } else { self.text(text) }
        }

        /// A result that is safe to write.
        func markup(_ text: String) -> TemplateValue {
            .text(text, TemplateValue.Origin(isMarkup: true, isOutside: isOutside))
        }
    }

    /// Nil if the result has more bytes or elements than a value may have. The caller checks this, too: here it saves
    /// the work.
    func apply(_ call: Call) -> TemplateValue? {
        let input = call.input
        let text = input.plain
        let first = call.argument(0)?.plain ?? ""
        switch self {
        case .append: return Self.joined(input, call.argument(0) ?? .none, call)
        case .prepend: return Self.joined(call.argument(0) ?? .none, input, call)
        case .presetTo:
            if case .flag(false) = input, call.argument(1)?.isTrue == true { return input }
            return input.isEmpty ? call.argument(0) : input
        case .escape, .escapeOnce:
            if call.format == .plain { return call.text(text) }
            let unescaped = self == .escapeOnce ? HTMLText.unescaped(text) : text
            return call.markup((input.isOutside ? unescaped.visible : unescaped).escapedForHTML)
        case .newlineToBreak:
            // Also of outside text, whose lines output would not keep.
            let lines = input.lines.map { Self.safe($0, as: call.format) }
            return Self.list(lines, joinedBy: "<br>\n").map { call.markup($0) }
        case .capitalize: return call.text(text.prefix(1).uppercased() + text.dropFirst().lowercased())
        case .upcase: return call.text(text.uppercased())
        case .downcase: return call.text(text.lowercased())
        case .strip: return call.same(Self.trimmed(text, start: true, end: true))
        case .lstrip: return call.same(Self.trimmed(text, start: true, end: false))
        case .rstrip: return call.same(Self.trimmed(text, start: false, end: true))
        case .stripNewlines: return call.same(text.filter { !$0.isNewline })
        case .stripHTML: return call.text(HTMLText.withoutTags(text))
        case .urlEncode: return call.text(Self.encoded(text, isOutside: input.isOutside))
        case .urlDecode: return call.text(PercentEncoding.decode(Array(text.utf8), plusIsSpace: true) ?? text)
        case .replace, .replaceFirst, .remove, .removeFirst:
            let limit = self == .replaceFirst || self == .removeFirst ? 1 : Int.max
            return ByteSearch(first).replaced(
                in: text, by: call.argument(1)?.plain ?? "", limit: limit, size: Template.outputLimit
            ).map(call.text)
        case .truncate:
            return call.text(Self.truncated(text, call.argument(0)?.int ?? 50, call.argument(1)?.plain ?? "..."))
        case .truncatewords:
            return call.text(Self.truncated(words: text, call.argument(0)?.int ?? 15, call.argument(1)?.plain ?? "..."))
        case .date: return call.text(TemplateDate(input, now: call.now)?.text(first) ?? text)
        case .slice, .split, .join, .first, .last, .size, .concat, .map, .reverse, .sort, .uniq: return listed(call)
        case .plus, .minus, .times, .dividedBy, .modulo, .abs, .ceil, .floor, .round, .atLeast, .atMost:
            return .number(Self.spelled(calculated(call)))
        }
    }

    // MARK: numbers

    private func calculated(_ call: Call) -> Double {
        let argument = call.argument(0) ?? .none
        let (left, right) = (call.input.double ?? 0, argument.double ?? 0)
        switch self {
        case .plus: return left + right
        case .minus: return left - right
        case .times: return left * right
        // Whole numbers divide to whole numbers, as in Liquid. Nothing can be divided by zero.
        case .dividedBy:
            let areWhole = !call.input.isFraction && !argument.isFraction
            return right == 0 ? 0 : areWhole ? (left / right).rounded(.down) : left / right
        case .modulo: return right == 0 ? 0 : left - right * (left / right).rounded(.down)
        case .abs: return left.magnitude
        case .ceil: return left.rounded(.up)
        case .floor: return left.rounded(.down)
        case .atLeast: return max(left, right)
        case .atMost: return min(left, right)
        default:
            let places = min(max(argument.int ?? 0, 0), 9)
            let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
            return (left * scale).rounded() / scale
        }
    }

    private static func spelled(_ number: Double) -> String {
        number == number.rounded() && number.magnitude < 1e15 ? String(Int64(number)) : "\(number)"
    }

    // MARK: texts

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

    private static func joined(_ one: TemplateValue, _ other: TemplateValue, _ call: Call) -> TemplateValue? {
        let text = sideBySide([one, other], as: call.format)
        return text.utf8.count <= Template.outputLimit ? call.markup(text) : nil
    }

    /// Outside text has its dots encoded, too: output would put joiners after them.
    private static func encoded(_ text: String, isOutside: Bool) -> String {
        let encoded = PercentEncoding.encode(text)
        return isOutside
            ? ByteSearch(".").replaced(in: encoded, by: "%2E", size: .max) ?? encoded : encoded
    }

    static func list(_ texts: [String], joinedBy separator: String) -> String? {
        let size = texts.reduce(0) { $0 + $1.utf8.count } + separator.utf8.count * max(texts.count - 1, 0)
        return size <= Template.outputLimit ? texts.joined(separator: separator) : nil
    }

    private static func trimmed(_ text: String, start: Bool, end: Bool) -> String {
        var rest = text.unicodeScalars[...]
        if start { rest = rest.drop(while: \.isBlank) }
        if end { rest = rest[..<(rest.lastIndex { !$0.isBlank }.map(rest.index(after:)) ?? rest.startIndex)] }
        return String(rest)
    }

    /// The mark counts.
    private static func truncated(_ text: String, _ length: Int, _ mark: String) -> String {
        text.count <= max(length, 0) ? text : text.prefix(max(length - mark.count, 0)) + mark
    }

    private static func truncated(words text: String, _ count: Int, _ mark: String) -> String {
        let words = text.split(whereSeparator: \.isWhitespace)
        return words.count <= count ? text : words.prefix(max(count, 1)).joined(separator: " ") + mark
    }
}

extension TemplateValue {
    fileprivate var isFraction: Bool { plain.utf8.contains(UInt8(ascii: ".")) }

    /// The lines of a text, each as safe as the text.
    fileprivate var lines: [TemplateValue] {
        guard case .text(let text, let origin) = self else { return [self] }
        return ByteSearch("\n").pieces(of: text).map { line in
            // Ends in a carriage return if the line ends in both.
            .text(line.utf8.last == 0x0D ? String(line.unicodeScalars.dropLast()) : line, origin)
        }
    }
}
