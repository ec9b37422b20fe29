package import AuthorizationCore

/// What accepting access tokens needs of a store.
package protocol AccessTokenStore: Sendable {
    /// Whether what the token came of was revoked, and its user, in one read. The user is nil where it was deleted.
    func standing(of authorization: AuthorizationID, user: UserID?, tenant: TenantID) async throws
        -> (isRevoked: Bool, user: User?)
}
