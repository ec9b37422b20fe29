package import AuthorizationCore

/// What searching users needs of a store.
package protocol UserSearchStore: Sendable {
    /// Everything that is kept of a user, at one moment; nil where there is none.
    func record(of user: UserID, tenant: TenantID) async throws -> UserRecord?

    /// Users who match, at one moment, which is after every change that was acknowledged. A search that takes longer
    /// than `limit` throws a passing failure, and so does one that comes while too many others wait.
    func search(_ search: UserSearch, tenant: TenantID, within limit: Duration) async throws -> UserSearchResult
}
