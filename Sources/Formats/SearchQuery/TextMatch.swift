/// Matches texts by code points.
package enum TextMatch: Sendable, Hashable {
    case present
    case equal(String)
    case like(TextPattern)
    case between(lower: QueryBound<String>?, upper: QueryBound<String>?)

    package func matches(_ text: String) -> Bool {
        switch self {
        case .present: return true
        case .equal(let wanted): return text == wanted
        case .like(let pattern): return pattern.matches(text)
        case .between(let lower, let upper):
            let isAbove = lower.map { text > $0.value || $0.isInclusive && text == $0.value } ?? true
            return isAbove && (upper.map { text < $0.value || $0.isInclusive && text == $0.value } ?? true)
        }
    }

    package var folded: TextMatch {
        func fold(_ bound: QueryBound<String>?) -> QueryBound<String>? {
            bound.map { QueryBound($0.value.lowercased(), isInclusive: $0.isInclusive) }
        }
        return switch self {
        case .present: .present
        case .equal(let text): .equal(text.lowercased())
        case .like(let pattern): .like(pattern.folded)
        case .between(let lower, let upper): .between(lower: fold(lower), upper: fold(upper))
        }
    }
}
