package import AuthorizationCore
package import Primitives

/// Reads users, and the configuration that they refer to, in one snapshot.
package protocol UserReader {
    /// As `ConfigurationStore.objects`.
    func objects(_ parts: Set<ConfigurationPart>, of tenant: TenantID?) throws -> [ConfigurationObjects]

    func user(_ id: UserID, in tenant: TenantID) throws -> (user: User, passwordHash: String?)?
    /// Hash of the password that an `apply` file last set. Nil means none.
    func appliedPasswordHash(of user: UserID, in tenant: TenantID) throws -> String?
    func user(email: EmailAddress, in tenant: TenantID) throws -> UserID?
    /// A database username, in lower case.
    func user(username: String, in tenant: TenantID) throws -> UserID?
    /// Empty for unknown users.
    func metadata(of user: UserID, in tenant: TenantID) throws -> UserMetadata
    /// Members of a role, sorted by id: at most `limit`, after `after` and the first `skip`.
    func members(of role: RoleID, in tenant: TenantID, after: UserID?, skip: Int, limit: Int) throws -> [User]
    func memberCount(of role: RoleID, in tenant: TenantID) throws -> Int
    /// Permissions that any user of the tenant has directly.
    func permissionsOfUsers(in tenant: TenantID) throws -> Set<Role.Permission>
    /// The user's full record. Nil means unknown.
    func record(of user: UserID, in tenant: TenantID) throws -> UserRecord?
    /// Users with an e-mail address, of any connection, sorted by id.
    func users(email: EmailAddress, in tenant: TenantID) throws -> [UserID]
    /// Users with this e-mail address, username or phone number, in lower case, sorted by id.
    func users(identifier: String, in tenant: TenantID) throws -> [UserID]

    /// Counts of failed attempts that began after `windowStart`: the account's total, and per known address, oldest
    /// first.
    func attempts(at account: AttemptKey, in tenant: TenantID, since windowStart: Timestamp) throws -> [AttemptCount]

    /// The user's active sessions, in the order they began.
    func sessions(of user: UserID, in tenant: TenantID, now: Timestamp) throws -> [SessionRecord]
    /// Nil if it is over, too.
    func session(_ id: SessionID, in tenant: TenantID, now: Timestamp) throws -> SessionRecord?
    /// Active refresh tokens, oldest first. Nil `limit` returns all.
    func refreshTokens(
        _ filter: RefreshTokenFilter, in tenant: TenantID, limit: Int?, now: Timestamp
    ) throws -> [RefreshTokenRecord]
    /// Consents, sorted by user, client and audience: at most `limit` after the first `skip`.
    func consents(_ filter: ConsentFilter, in tenant: TenantID, skip: Int, limit: Int) throws -> [ConsentGrant]
    func consentCount(_ filter: ConsentFilter, in tenant: TenantID) throws -> Int

    /// The user's enrolled phones, oldest first.
    func devices(of user: UserID, in tenant: TenantID) throws -> [DeviceRecord]
    /// True if the user has an unused link or code to add a phone.
    func hasEnrollmentTicket(of user: UserID, in tenant: TenantID, now: Timestamp) throws -> Bool
    /// The user's passkeys, oldest first.
    func passkeys(of user: UserID, in tenant: TenantID) throws -> [OwnedPasskey]
    func device(_ id: DeviceID, in tenant: TenantID) throws -> DeviceRecord?
    /// The user's authenticator apps, oldest first.
    func authenticators(of user: UserID, in tenant: TenantID) throws -> [Authenticator]
    /// True if the user has something in whose place a recovery code can stand.
    func hasPhoneOrApp(_ user: UserID, in tenant: TenantID) throws -> Bool
    /// Number of the user's unused recovery codes.
    func recoveryCodes(of user: UserID, in tenant: TenantID) throws -> Int
    /// The user with this account.
    func owner(of identity: UserIdentity, in tenant: TenantID) throws -> UserID?
    /// Filtered by user and client unless nil, sorted by id.
    func deviceCredentials(
        of user: UserID?, client: ClientID?, in tenant: TenantID, limit: Int
    ) throws -> [DeviceCredential]

    /// Nil if it is unknown, or was made before `since`.
    func job(_ id: String, in tenant: TenantID, since: Timestamp) throws -> UserJob?
    /// Jobs that are not done, oldest first. Nil `tenant` has those of all.
    func unfinishedJobs(of tenant: TenantID?, limit: Int) throws -> [UserJob]
    /// Sealed. Nil if there is none.
    func part(_ number: Int, of job: UserJob) throws -> [UInt8]?
    /// In the order of the file, behind the user `after`.
    func errors(of job: UserJob, after: Int, limit: Int) throws -> [UserJobError]
}
