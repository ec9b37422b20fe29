import AuthorizationCore
import Primitives

/// What a query's field name stands for.
enum UserQueryField {
    case text(UserQuery.TextField)
    case time(UserQuery.TimeField)
    case number(UserQuery.NumberField)
    case flag(UserQuery.FlagField)
    /// `user_metadata` or `app_metadata`, or a path in one of them.
    case metadata(String)
    /// Everyone has some.
    case identities

    /// What the paths of metadata begin with.
    private static let roots = ["user_metadata", "app_metadata"]

    init?(_ name: String) {
        if let field = UserQuery.TextField(rawValue: name) {
            self = .text(field)
        } else if let field = UserQuery.TimeField(rawValue: name) {
            self = .time(field)
        } else if let field = UserQuery.NumberField(rawValue: name) {
            self = .number(field)
        } else if let field = UserQuery.FlagField(rawValue: name) {
            self = .flag(field)
        } else if Self.roots.contains(where: { name == $0 || name.hasPrefix("\($0).") && name.utf8.last != 0x2E }) {
            self = .metadata(name)
        } else if name == "identities" {
            self = .identities
        } else {
            return nil
        }
    }

    /// The name that somebody who wrote `name` meant; nil where none is near.
    static func suggestion(for name: String) -> String? {
        let names =
            UserQuery.TextField.allCases.map(\.rawValue) + UserQuery.TimeField.allCases.map(\.rawValue)
            + UserQuery.NumberField.allCases.map(\.rawValue) + UserQuery.FlagField.allCases.map(\.rawValue) + roots
        if let dot = name.firstIndex(of: "."), let root = Spelling.nearest(to: String(name[..<dot]), in: roots),
            !name.hasPrefix("\(root).")
        {
            return root + name[dot...]
        }
        return Spelling.nearest(to: name, in: names)
    }

    var isPresent: UserQuery {
        switch self {
        case .text(let field): .text(field, .present)
        case .time(let field): .time(field, UserQuery.TimeRange(from: nil, before: nil))
        case .number(let field): .number(field, UserQuery.NumberRange(lower: nil, upper: nil))
        case .flag, .identities: .everyone
        case .metadata(let path): .metadata(path: path, .present)
        }
    }

    /// The condition that the field has the value.
    func query(_ value: UserQueryValue) throws(UserQuerySyntaxError.Reason) -> UserQuery {
        if value.isOpen { return isPresent }
        switch self {
        case .text(let field):
            return .text(field, field.isFolded ? value.match.folded : value.match)
        case .time(let field):
            guard let range = value.timeRange else { throw .notATime(field: field.rawValue) }
            return .time(field, range)
        case .number(let field):
            guard let range = value.numberRange else { throw .notANumber(field: field.rawValue) }
            return .number(field, range)
        case .flag(let field):
            switch value.plainText {
            case "true": return .flag(field, true)
            case "false": return .flag(field, false)
            default: throw .notAFlag(field: field.rawValue)
            }
        case .metadata(let path):
            if Self.roots.contains(path) { throw .unknownField(path, suggestion: "\(path).name") }
            return .metadata(path: path, value.metadataMatch)
        case .identities:
            throw .unknownField("identities", suggestion: UserQuery.TextField.identityUserID.rawValue)
        }
    }
}

extension UserQueryValue {
    /// `*` or `[* TO *]`.
    fileprivate var isOpen: Bool {
        switch self {
        case .word(let pattern): pattern.isEveryone
        case .phrase: false
        case .range(let lower, let upper): lower == nil && upper == nil
        }
    }

    /// What is written, without wildcards.
    var plainText: String? {
        switch self {
        case .word(let pattern): pattern.literal
        case .phrase(let text): text
        case .range: nil
        }
    }

    /// Nil for a range.
    var textMatch: UserQuery.TextMatch? {
        switch self {
        case .word(let pattern): pattern.literal.map { .equal($0) } ?? .like(pattern)
        case .phrase(let text): .equal(text)
        case .range: nil
        }
    }

    /// The texts that are meant.
    var match: UserQuery.TextMatch {
        if isOpen { return .present }
        guard case .range(let lower, let upper) = self else { return textMatch ?? .present }
        return .between(lower: lower?.bound, upper: upper?.bound)
    }

    /// A date is all of its moments: `[2024-01-01 TO 2024-01-31]` ends with January, `{2024-01-31 TO *]` begins with
    /// February.
    var timeRange: UserQuery.TimeRange? {
        guard case .range(let lower, let upper) = self else {
            return plainText.flatMap(UserQuery.TimeRange.init(named:))
        }
        var from: Timestamp?
        if let lower {
            guard let span = UserQuery.TimeRange(named: lower.text) else { return nil }
            // After the last moment there is nothing.
            from = lower.isInclusive ? span.from : span.before ?? Timestamp(milliseconds: .max)
        }
        var before: Timestamp?
        if let upper {
            guard let span = UserQuery.TimeRange(named: upper.text) else { return nil }
            before = upper.isInclusive ? span.before : span.from
        }
        return UserQuery.TimeRange(from: from, before: before)
    }

    fileprivate var numberRange: UserQuery.NumberRange? {
        guard case .range(let lower, let upper) = self else {
            guard let number = plainText.flatMap(Self.number) else { return nil }
            return UserQuery.NumberRange(lower: UserQuery.Bound(number), upper: UserQuery.Bound(number))
        }
        func bound(_ end: End) -> UserQuery.Bound<Double>? {
            Self.number(end.text).map { UserQuery.Bound($0, isInclusive: end.isInclusive) }
        }
        var range = (lower: UserQuery.Bound<Double>?.none, upper: UserQuery.Bound<Double>?.none)
        if let lower {
            guard let lower = bound(lower) else { return nil }
            range.lower = lower
        }
        if let upper {
            guard let upper = bound(upper) else { return nil }
            range.upper = upper
        }
        return UserQuery.NumberRange(lower: range.lower, upper: range.upper)
    }

    /// A range between numbers is one of numbers, between anything else one of texts; a term that reads as a number
    /// may be either.
    fileprivate var metadataMatch: UserQuery.MetadataMatch {
        if case .range(let lower, let upper) = self {
            let areWords = [lower, upper].compactMap { $0 }.allSatisfy(\.isWord)
            if areWords, let range = numberRange { return .number(range) }
            return .text(match)
        }
        let text = textMatch ?? .present
        return numberRange.map { .either(text, $0) } ?? .text(text)
    }

    /// A decimal number; not the other spellings that Swift knows.
    private static func number(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }),
            let number = Double(text), number.isFinite
        else { return nil }
        return number
    }
}

extension UserQuery.TimeRange {
    /// What a date or time names: `2024`, `2024-02`, `2024-02-29`, or a date-time of RFC 3339, in UTC where it has no
    /// offset, to the second or the millisecond.
    init?(named text: String) {
        let bytes = Array(text.utf8)
        if bytes.contains(0x54) {
            guard let from = Timestamp(iso8601: text) ?? Timestamp(iso8601: text + "Z") else { return nil }
            self.init(from: from, before: from + .milliseconds(bytes.contains(0x2E) ? 1 : 1000))
            return
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        guard zip(parts, [4, 2, 2]).allSatisfy({ $0.utf8.count == $1 }), parts.count <= 3,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let year = Int(parts[0]), let month = parts.count > 1 ? Int(parts[1]) : 1,
            let from = Self.midnight(year, month, parts.count > 2 ? parts[2] : "01")
        else { return nil }
        // Beyond the year 9999 there is nothing.
        let before: Timestamp? =
            switch parts.count {
            case 1: Self.midnight(year + 1, 1, "01")
            case 2: month == 12 ? Self.midnight(year + 1, 1, "01") : Self.midnight(year, month + 1, "01")
            default: from + .seconds(86_400)
            }
        self.init(from: from, before: before)
    }

    private static func midnight(_ year: Int, _ month: Int, _ day: String) -> Timestamp? {
        func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        return Timestamp(iso8601: "\(padded(year, 4))-\(padded(month, 2))-\(day)T00:00:00Z")
    }
}
