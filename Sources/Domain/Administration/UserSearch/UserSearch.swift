package import AuthorizationCore
import Primitives

/// Which users to find, in which order, and which part of them to show.
package struct UserSearch: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        /// So many from the one at a place, counted from 0. Places shift when users come and go meanwhile.
        case page(first: Int, count: Int)
        /// So many behind the last one of the part before; nil begins.
        case following(UserSearchCursor?, count: Int)
    }

    package var query: UserQuery
    /// Nil for the order in which users came.
    package var sort: UserSort?
    package var part: Part
    /// Whether to count all users who match, for which every one of them is looked at.
    package var countsTotal: Bool

    package init(
        query: UserQuery = .everyone, sort: UserSort? = nil, part: Part = .page(first: 0, count: 50),
        countsTotal: Bool = false
    ) {
        self.query = query
        self.sort = sort
        self.part = part
        self.countsTotal = countsTotal
    }
}

/// What a search found, all at one moment.
package struct UserSearchResult: Sendable, Equatable {
    package var users: [UserRecord]
    /// How many match; nil where that was not asked.
    package var total: Int?
    /// Where the next part begins; nil at the end.
    package var next: UserSearchCursor?

    package init(users: [UserRecord], total: Int?, next: UserSearchCursor?) {
        self.users = users
        self.total = total
        self.next = next
    }
}

/// An order of users. Those without the field come last, and equal ones in the order in which they came.
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

    /// Fields that have one value.
    static let fields: [Field] =
        UserQuery.TextField.allCases.filter { !$0.rawValue.hasPrefix("identities.") }.map(Field.text)
        + UserQuery.TimeField.allCases.map(Field.time) + UserQuery.NumberField.allCases.map(Field.number)
        + UserQuery.FlagField.allCases.map(Field.flag)

    /// Nil for a field by which users are not sorted.
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

/// What is wrong with the text of an order.
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
