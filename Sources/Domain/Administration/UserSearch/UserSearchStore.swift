public import AuthorizationCore

/// What searching users needs of a store.
public protocol UserSearchStore: Sendable {
    /// Everything that is kept of a user, at one moment; nil where there is none.
    func record(of user: UserID, tenant: TenantID) async throws -> UserRecord?
}
