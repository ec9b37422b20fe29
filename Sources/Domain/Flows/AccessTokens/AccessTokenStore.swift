package import AuthorizationCore

/// Store port of access tokens.
package protocol AccessTokenStore: Sendable {
    /// Reads the revocation of the token's authorization and its user at once. The user is nil if it was deleted.
    func standing(of authorization: AuthorizationID, user: UserID?, tenant: TenantID) async throws
        -> (isRevoked: Bool, user: User?)
}
