import Primitives
import SearchQuery

enum UserQueryField {
    case text(UserQuery.TextField)
    case time(UserQuery.TimeField)
    case number(UserQuery.NumberField)
    case flag(UserQuery.FlagField)
    /// `user_metadata` or `app_metadata`, or a path in one of them.
    case metadata(String)
    /// Always present.
    case identities

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

    /// The known name nearest to `name`. Nil means none is near.
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
        case .time(let field): .time(field, QueryTimeRange(from: nil, before: nil))
        case .number(let field): .number(field, QueryNumberRange(lower: nil, upper: nil))
        case .flag, .identities: .everyone
        case .metadata(let path): .metadata(path: path, .present)
        }
    }

    func query(_ value: QueryValue) throws(QuerySyntaxError.Reason) -> UserQuery {
        if value.isOpen { return isPresent }
        switch self {
        case .text(let field): return .text(field, field.stored(value.match))
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
        case .identities: throw .unknownField("identities", suggestion: UserQuery.TextField.identityUserID.rawValue)
        }
    }
}

extension QueryValue {
    /// A range between numbers is numeric, any other range is textual. A term that parses as a number may be either.
    fileprivate var metadataMatch: UserQuery.MetadataMatch {
        if case .range(let lower, let upper) = self {
            let areWords = [lower, upper].compactMap { $0 }.allSatisfy(\.isWord)
            if areWords, let range = numberRange { return .number(range) }
            return .text(match)
        }
        let text = textMatch ?? .present
        return numberRange.map { .either(text, $0) } ?? .text(text)
    }
}
