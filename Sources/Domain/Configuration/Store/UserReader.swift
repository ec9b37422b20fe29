package import AuthorizationCore
package import Primitives

/// What administration reads of users at one moment, beside their own rows.
package protocol UserReader {
    /// Everything that is kept of a user; nil where there is none.
    func record(of user: UserID, in tenant: TenantID) throws -> UserRecord?
    /// Users of an e-mail address in lower case, whatever connection they belong to, in the order of their ids.
    func users(email: String, in tenant: TenantID) throws -> [UserID]
    /// Users who have it, in lower case, as e-mail address, username or phone number, in the order of their ids.
    func users(identifier: String, in tenant: TenantID) throws -> [UserID]

    /// Counts of failed attempts that began after `windowStart`: of an account in all, and from each address that is
    /// known, the oldest first.
    func attempts(
        at account: AttemptKey, in tenant: TenantID, since windowStart: Timestamp
    ) throws -> [AttemptCount]

    /// The user's sessions that are not over, in the order they began.
    func sessions(of user: UserID, in tenant: TenantID, now: Timestamp) throws -> [SessionRecord]
    /// Nil where it is over, too.
    func session(_ id: SessionID, in tenant: TenantID, now: Timestamp) throws -> SessionRecord?
    /// Refresh tokens that are not over, in the order they were given; nil is all of them.
    func refreshTokens(
        _ filter: RefreshTokenFilter, in tenant: TenantID, limit: Int?, now: Timestamp
    ) throws -> [RefreshTokenRecord]
    /// What users allowed clients: `limit` after the first `skip`, in the order of users, clients and audiences.
    func consents(_ filter: ConsentFilter, in tenant: TenantID, skip: Int, limit: Int) throws -> [ConsentGrant]
    func consentCount(_ filter: ConsentFilter, in tenant: TenantID) throws -> Int

    /// The phones that the user enrolled, oldest first.
    func devices(of user: UserID, in tenant: TenantID) throws -> [DeviceRecord]
    func device(_ id: DeviceID, in tenant: TenantID) throws -> DeviceRecord?
    /// Whose account at a provider it is.
    func owner(of identity: UserIdentity, in tenant: TenantID) throws -> UserID?
    /// Of the user and the client, where they are not nil, in the order of their ids.
    func deviceCredentials(
        of user: UserID?, client: ClientID?, in tenant: TenantID, limit: Int
    ) throws -> [DeviceCredential]
}
