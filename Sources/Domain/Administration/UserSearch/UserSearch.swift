package import AuthorizationCore

/// A query for users, with order and part of the result.
package struct UserSearch: Sendable, Equatable {
    package enum Part: Sendable, Equatable {
        /// `count` users from index `first`. Indexes shift when users are added or deleted.
        case page(first: Int, count: Int)
        /// `count` users after the cursor. Nil is the beginning.
        case following(UserSearchCursor?, count: Int)
    }

    package var query = UserQuery.everyone
    /// Nil means order of creation.
    package var sort: UserSort?
    package var part = Part.page(first: 0, count: 50)
    /// Counts all matches, which reads every matching user.
    package var countsTotal = false
}

/// A search's result, as of one moment.
package struct UserSearchResult: Sendable, Equatable {
    package var users: [UserRecord]
    /// Number of matches. Nil means not counted.
    package var total: Int?
    /// Cursor of the next part. Nil at the end.
    package var next: UserSearchCursor?

    package init(users: [UserRecord], total: Int?, next: UserSearchCursor?) {
        self.users = users
        self.total = total
        self.next = next
    }
}

package protocol UserSearchStore: Sendable {
    /// Matching users, as of one moment after every acknowledged change. Throws a transient error if the search takes
    /// longer than `limit` or too many others wait.
    func search(_ search: UserSearch, tenant: TenantID, within limit: Duration) async throws -> UserSearchResult
}
