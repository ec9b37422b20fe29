import Primitives

/// A filter. Only those that escape their input, or take white space from it, return markup.
enum TemplateFilter: String, Sendable, CaseIterable {
    case append, capitalize, date, downcase, escape, first, h, join, last, lstrip, prepend, remove, replace, rstrip,
        size,
        slice, split, strip, truncate, truncatewords, upcase
    case abs, ceil, floor, minus, modulo, plus, round, times
    case compact, concat, find, has, map, reject, reverse, sort, sum, uniq, `where`
    case atLeast = "at_least"
    case atMost = "at_most"
    case base64Decode = "base64_decode"
    case base64Encode = "base64_encode"
    case base64URLDecode = "base64_url_safe_decode"
    case base64URLEncode = "base64_url_safe_encode"
    case dividedBy = "divided_by"
    case presetTo = "default"
    case escapeOnce = "escape_once"
    case findIndex = "find_index"
    case newlineToBreak = "newline_to_br"
    case removeFirst = "remove_first"
    case removeLast = "remove_last"
    case replaceFirst = "replace_first"
    case replaceLast = "replace_last"
    case sortNaturally = "sort_natural"
    case stripHTML = "strip_html"
    case stripNewlines = "strip_newlines"
    case urlDecode = "url_decode"
    case urlEncode = "url_encode"

    /// Permitted numbers of arguments.
    var arguments: ClosedRange<Int> {
        switch self {
        case .append, .atLeast, .atMost, .concat, .date, .dividedBy, .map, .minus, .modulo, .plus, .prepend, .remove,
            .removeFirst, .removeLast, .split, .times:
            1...1
        case .replaceLast: 2...2
        case .compact, .join, .presetTo, .round, .sort, .sortNaturally, .sum, .uniq: 0...1
        case .find, .findIndex, .has, .reject, .replace, .replaceFirst, .slice, .where: 1...2
        case .truncate, .truncatewords: 0...2
        default: 0...0
        }
    }

    /// The argument with a name that the filter takes beside the others.
    var namedArgument: String? { self == .presetTo ? "allow_false" : nil }

    /// True for filters of lists. They take a range's numbers, too.
    var takesElements: Bool {
        switch self {
        case .compact, .concat, .find, .findIndex, .has, .join, .map, .reject, .reverse, .sort, .sortNaturally, .sum,
            .uniq, .where:
            true
        default: false
        }
    }

    /// Bytes of the input that are a step. Work on characters and on order takes longer than work on bytes.
    var bytesOfStep: Int {
        switch self {
        case .abs, .append, .atLeast, .atMost, .base64Decode, .base64Encode, .base64URLDecode, .base64URLEncode, .ceil,
            .presetTo, .dividedBy, .escape, .first, .floor, .h, .last, .minus, .modulo, .plus, .prepend, .round,
            .stripHTML, .times, .urlDecode, .urlEncode:
            Template.bytesOfStep
        default: Template.charactersOfStep
        }
    }

    /// Reason why a filter or a comparison has no result.
    enum Fault: Error {
        /// The result has more bytes or elements than a value may have. The caller checks this, too: here it saves the
        /// work.
        case tooLong
        case problem(String)
    }

    /// The input of a filter, with its arguments.
    struct Call {
        let input: TemplateValue
        let arguments: [TemplateValue]
        let named: TemplateValue?
        let format: Template.Format
        let now: Timestamp
        /// True if a client or a user wrote a part of the input or of an argument, which makes the result theirs.
        let isOutside: Bool

        init(
            _ input: TemplateValue, _ arguments: [TemplateValue], named: TemplateValue? = nil,
            as format: Template.Format, now: Timestamp
        ) {
            self.input = input
            self.arguments = arguments
            self.named = named
            self.format = format
            self.now = now
            isOutside = input.isOutside || arguments.contains(where: \.isOutside)
        }

        func argument(_ index: Int) -> TemplateValue? { index < arguments.count ? arguments[index] : nil }

        /// Nil if the argument is absent. Throws unless it is a whole number.
        func integer(_ index: Int) throws(Fault) -> Int? {
            guard let argument = argument(index) else { return nil }
            guard let integer = argument.integer else { throw .problem("an argument is no whole number") }
            return integer
        }

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

    func apply(_ call: Call) throws(Fault) -> TemplateValue {
        let input = call.input
        switch self {
        case .presetTo:
            let isPreset = (call.named?.isTrue == true ? input.isNone : !input.isTrue) || input.isEmpty
            return isPreset ? call.argument(0) ?? .text("", .template) : input
        case .date:
            guard let format = call.argument(0)?.plain, !format.isEmpty,
                let date = TemplateDate(input, now: call.now)
            else { return input }
            return call.text(try date.text(format))
        case .first: return input.first
        case .last: return input.last
        case .size: return .count(input.count)
        case .slice, .split: return try cut(call)
        case _ where takesElements: return try listed(call)
        case .plus, .minus, .times, .dividedBy, .modulo, .abs, .ceil, .floor, .round, .atLeast, .atMost:
            return .number(try calculated(call))
        default: return try changed(call)
        }
    }

    private func calculated(_ call: Call) throws(Fault) -> TemplateNumber {
        let left = call.input.number
        let right = (call.argument(0) ?? .none).number
        switch self {
        case .plus: return left + right
        case .minus: return left - right
        case .times: return left * right
        case .abs: return left.magnitude
        case .ceil: return left.whole(.up)
        case .floor: return left.whole(.down)
        case .atLeast: return max(left, right)
        case .atMost: return min(left, right)
        case .dividedBy, .modulo:
            let result = self == .dividedBy ? left.divided(by: right) : left.remainder(by: right)
            guard let result else { throw .problem("a number is divided by 0") }
            return result
        default: return left.rounded(to: right.truncated)
        }
    }
}

extension TemplateValue {
    var isNone: Bool { if case .none = self { true } else { false } }
}
