import AuthorizationCore
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
