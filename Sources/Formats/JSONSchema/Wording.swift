import Primitives

/// Words a finding as the required change.
struct Wording {
    let english: String

    init(_ finding: Finding, in instance: Instance) {
        let steps = instance.path(to: finding.node)
        let path = Self.path(steps)
        let subject = Self.subject(steps, path)
        func sentence(_ text: String) -> String { "\(subject) \(text)" }
        func member(_ name: String) -> String { path.isEmpty ? Self.shown(name) : "\(path).\(Self.shown(name))" }

        english =
            switch finding.problem {
            case .notAllowed: sentence("is not allowed; remove it")
            case .wrongType(let types): sentence("must be \(Self.list(types))")
            case .notOneOf(let values) where values.count == 1: sentence("must be \(Self.shown(values))")
            case .notOneOf(let values): sentence("must be one of \(Self.shown(values))")
            case .beyond(let limit):
                switch finding.keyword {
                case .minimum: sentence("must be at least \(limit)")
                case .exclusiveMinimum: sentence("must be greater than \(limit)")
                case .maximum: sentence("must be at most \(limit)")
                default: sentence("must be less than \(limit)")
                }
            case .noMultiple(let divisor): sentence("must be a multiple of \(divisor)")
            case .wrongSize(let limit):
                switch finding.keyword {
                case .minLength, .minItems, .minProperties:
                    sentence("must have at least \(Self.counted(limit, finding.keyword))")
                default: sentence("must have at most \(Self.counted(limit, finding.keyword))")
                }
            case .noMatch(let pattern): sentence("must match \(Self.shown(pattern: pattern))")
            case .wrongFormat(let format): sentence("must be \(format.english)")
            case .repeated(let first, let second): sentence("must not repeat an element; [\(second)] equals [\(first)]")
            case .wrongFits(let count, let limit):
                finding.keyword == .maxContains
                    ? sentence("must have at most \(limit) of the elements asked for; it has \(count)")
                    : sentence("must have at least \(limit) of the elements asked for; it has \(count)")
            case .missing(let name): "\(member(name)) is missing; add it"
            case .missingBeside(let name, let other): "\(member(name)) is missing; \(member(other)) needs it"
            // A single alternative is reported by its own finding.
            case .noneFits(1, let nearest): Wording(nearest, in: instance).english
            case .noneFits(let count, let nearest):
                sentence(
                    "fits none of \(count) alternatives; for the nearest, \(Wording(nearest, in: instance).english)")
            case .severalFit(let one, let other, let count):
                sentence("must fit exactly one of \(count) alternatives; it fits number \(one) and number \(other)")
            case .excluded: sentence("has a form that is excluded; change it")
            case .tooDeep: sentence("is nested deeper than \(Instance.depthLimit) levels")
            case .exponentTooLong: sentence("must have an exponent of at most \(ExactDecimal.exponentDigits) digits")
            }
    }

    // MARK: Subjects

    private static func subject(_ steps: [Instance.Step], _ path: String) -> String {
        if case .name(let name)? = steps.last { return "the name \(shown(name))" }
        return path.isEmpty ? "the value" : path
    }

    /// Path in the usual notation, such as `payment.lines[2].amount`. Stops at a member's name.
    private static func path(_ steps: [Instance.Step]) -> String {
        steps.reduce(into: "") { path, step in
            switch step {
            case .root, .name: break
            case .member(let name): path += path.isEmpty ? shown(name) : ".\(shown(name))"
            case .element(let index): path += "[\(index)]"
            }
        }
    }

    // MARK: Quotations

    /// Quotes at most `limit` characters, without control characters.
    private static func shown(_ text: String, limit: Int = 40) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: shown.append("?")
            default: shown.append(scalar)
            }
        }
        return String(shown) + (text.unicodeScalars.count > limit ? "..." : "")
    }

    /// A pattern with other characters than an `error_description` has (RFC 6749 clause 5.2) would read differently there,
    /// and a part of one would be another pattern.
    private static func shown(pattern: String) -> String {
        let isFit =
            pattern.utf8.count <= 200
            && pattern.utf8.allSatisfy {
                (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
        return isFit ? "the pattern \(pattern)" : "the pattern of its schema"
    }

    /// Lists at most ten values, strings without quotation marks.
    private static func shown(_ values: [JSONValue]) -> String {
        let texts = values.prefix(10).map { value in
            if let text = value.stringValue, !text.isEmpty { return shown(text) }
            return shown(JSONWriter.string(value))
        }
        return texts.joined(separator: ", ") + (values.count > 10 ? ", ..." : "")
    }

    private static func counted(_ count: Int, _ keyword: Keyword) -> String {
        let noun =
            switch keyword {
            case .minLength, .maxLength: "character"
            case .minItems, .maxItems: "element"
            default: "member"
            }
        return "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    private static func list(_ types: Set<ValueType>) -> String {
        let names = ValueType.allCases.filter(types.contains).map(\.english)
        guard let last = names.last, names.count > 1 else { return names.joined() }
        return "\(names.dropLast().joined(separator: ", ")) or \(last)"
    }
}

extension ValueType {
    fileprivate var english: String {
        switch self {
        case .string: "a string"
        case .integer: "a whole number"
        case .number: "a number"
        case .boolean: "true or false"
        case .object: "an object"
        case .array: "an array"
        case .null: "null"
        }
    }
}

extension Format {
    fileprivate var english: String {
        switch self {
        case .date: "a date such as 2026-11-20"
        case .dateTime: "a date and time such as 2026-11-20T10:00:00Z"
        case .time: "a time with its offset, such as 10:00:00Z"
        case .duration: "a duration such as P1DT12H"
        case .email: "an email address"
        case .hostname: "a host name such as www.example.com"
        case .uriReference: "a URI or a relative reference, such as /path?query"
        case .jsonPointer: "a JSON Pointer such as /a/0"
        case .regex: "a regular expression of ECMA-262"
        case .uri: "a URI with a scheme, such as https://example.com/"
        case .uuid: "a UUID"
        case .ipv4: "an IPv4 address"
        case .ipv6: "an IPv6 address"
        }
    }
}
