import AuthorizationCore
import Primitives

/// A query for users, with order and part of the result.
package struct UserSearch: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        /// `count` users from index `first`. Indexes shift when users are added or deleted.
        case page(first: Int, count: Int)
        /// `count` users after the cursor. Nil is the beginning.
        case following(UserSearchCursor?, count: Int)
    }

    package var query: UserQuery
    /// Nil means order of creation.
    package var sort: UserSort?
    package var part: Part
    /// Counts all matches, which reads every matching user.
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
