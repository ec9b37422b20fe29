package import AuthorizationCore
import Primitives

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
