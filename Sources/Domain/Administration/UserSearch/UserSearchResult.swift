package import AuthorizationCore
import Primitives

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
