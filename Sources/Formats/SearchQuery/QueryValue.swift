import Primitives

package enum QueryValue: Equatable {
    case word(TextPattern)
    case phrase(String)
    /// Nil ends are open. `isWord` tells numbers from quoted numbers.
    case range(lower: End?, upper: End?)

    package struct End: Equatable {
        package let text: String
        package let isWord: Bool
        package let isInclusive: Bool

        package var bound: QueryBound<String> { QueryBound(text, isInclusive: isInclusive) }
    }
}

extension QueryValue {
    /// `*` or `[* TO *]`.
    package var isOpen: Bool {
        switch self {
        case .word(let pattern): pattern.isEveryone
        case .phrase: false
        case .range(let lower, let upper): lower == nil && upper == nil
        }
    }

    /// Text of a value without wildcards.
    package var plainText: String? {
        switch self {
        case .word(let pattern): pattern.literal
        case .phrase(let text): text
        case .range: nil
        }
    }

    /// Nil for a range.
    package var textMatch: TextMatch? {
        switch self {
        case .word(let pattern): pattern.literal.map { .equal($0) } ?? .like(pattern)
        case .phrase(let text): .equal(text)
        case .range: nil
        }
    }

    package var match: TextMatch {
        if isOpen { return .present }
        guard case .range(let lower, let upper) = self else { return textMatch ?? .present }
        return .between(lower: lower?.bound, upper: upper?.bound)
    }

    /// Dates are whole days: `[2024-01-01 TO 2024-01-31]` ends with January, `{2024-01-31 TO *]` begins with February.
    package var timeRange: QueryTimeRange? {
        guard case .range(let lower, let upper) = self else { return plainText.flatMap(QueryTimeRange.init(named:)) }
        var from: Timestamp?
        if let lower {
            guard let span = QueryTimeRange(named: lower.text) else { return nil }
            // Nothing follows the last moment.
            from = lower.isInclusive ? span.from : span.before ?? Timestamp(milliseconds: .max)
        }
        var before: Timestamp?
        if let upper {
            guard let span = QueryTimeRange(named: upper.text) else { return nil }
            before = upper.isInclusive ? span.before : span.from
        }
        return QueryTimeRange(from: from, before: before)
    }

    package var numberRange: QueryNumberRange? {
        guard case .range(let lower, let upper) = self else {
            guard let number = plainText.flatMap(Self.number) else { return nil }
            return QueryNumberRange(lower: QueryBound(number), upper: QueryBound(number))
        }
        func bound(_ end: End) -> QueryBound<Double>? {
            Self.number(end.text).map { QueryBound($0, isInclusive: end.isInclusive) }
        }
        var range = (lower: QueryBound<Double>?.none, upper: QueryBound<Double>?.none)
        if let lower {
            guard let lower = bound(lower) else { return nil }
            range.lower = lower
        }
        if let upper {
            guard let upper = bound(upper) else { return nil }
            range.upper = upper
        }
        return QueryNumberRange(lower: range.lower, upper: range.upper)
    }

    /// A decimal number, without Swift's other notations.
    private static func number(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }),
            let number = Double(text), number.isFinite
        else { return nil }
        return number
    }
}
