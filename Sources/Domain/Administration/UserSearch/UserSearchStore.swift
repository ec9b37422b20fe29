package import AuthorizationCore

/// Store operations for user search.
package protocol UserSearchStore: Sendable {
    /// The user's full record, as of one moment. Nil means unknown.
    func record(of user: UserID, tenant: TenantID) async throws -> UserRecord?

    /// Matching users, as of one moment after every acknowledged change. Throws a transient error if the search takes
    /// longer than `limit` or too many others wait.
    func search(_ search: UserSearch, tenant: TenantID, within limit: Duration) async throws -> UserSearchResult
}
