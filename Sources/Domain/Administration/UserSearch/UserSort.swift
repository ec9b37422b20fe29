import Primitives

/// An order of users. Users without the field come last, equal users in order of creation.
package struct UserSort: Sendable, Hashable, CustomStringConvertible {
    package enum Field: Sendable, Hashable {
        case text(UserQuery.TextField)
        case time(UserQuery.TimeField)
        case number(UserQuery.NumberField)
        case flag(UserQuery.FlagField)

        package var name: String {
            switch self {
            case .text(let field): field.rawValue
            case .time(let field): field.rawValue
            case .number(let field): field.rawValue
            case .flag(let field): field.rawValue
            }
        }
    }

    package let field: Field
    package let isDescending: Bool

    /// Fields with a single value.
    static let fields: [Field] =
        UserQuery.TextField.allCases.filter { !$0.rawValue.hasPrefix("identities.") }.map(Field.text)
        + UserQuery.TimeField.allCases.map(Field.time) + UserQuery.NumberField.allCases.map(Field.number)
        + UserQuery.FlagField.allCases.map(Field.flag)

    /// Nil if users cannot be sorted by the field.
    package init?(_ field: Field, descending: Bool = false) {
        guard Self.fields.contains(field) else { return nil }
        self.field = field
        isDescending = descending
    }

    /// `field:1` or `field:-1`.
    package init(parsing text: String) throws(UserSortProblem) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1] == "1" || parts[1] == "-1" else { throw .notFieldAndDirection }
        guard let field = Self.fields.first(where: { $0.name == parts[0] }) else {
            throw .unknownField(
                String(parts[0]),
                suggestion: Spelling.nearest(to: String(parts[0]), in: Self.fields.map(\.name)))
        }
        self.field = field
        isDescending = parts[1] == "-1"
    }

    package var description: String { "\(field.name):\(isDescending ? -1 : 1)" }
}

package enum UserSortProblem: Error, Sendable, Hashable, CustomStringConvertible {
    case notFieldAndDirection
    case unknownField(String, suggestion: String?)

    package var description: String {
        switch self {
        case .notFieldAndDirection: "not a field and a direction, as in created_at:-1"
        case .unknownField(let name, let suggestion):
            "\(name) is no field to sort by" + (suggestion.map { " (did you mean \($0)?)" } ?? "")
        }
    }
}
