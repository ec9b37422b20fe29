package import Audit
package import AuthorizationCore
package import Primitives

/// Changes users' data within one change.
package protocol UserTransaction: UserReader {
    /// Changes configuration within the same transaction. Returns the stored form of each ended request's `auth_req_id`.
    @discardableResult
    func commit(_ commit: ConfigurationCommit) throws -> [[UInt8]]
    func record(_ event: AuditEvent) throws

    /// Keeps the user's metadata and activity, but notes a password change.
    func put(_ user: User, passwordHash: String?, in tenant: TenantID) throws
    /// Remembers an `apply` file's password. Changes no password.
    func put(appliedPasswordHash hash: String, of user: UserID, in tenant: TenantID) throws
    /// Does nothing if the user does not exist.
    func put(_ metadata: UserMetadata, of user: UserID, in tenant: TenantID) throws
    /// Replaces only the user's roles.
    func put(roles: [RoleID], of user: UserID, in tenant: TenantID, now: Timestamp) throws
    /// True if decisions of the user are kept for receipts.
    func keepsDecisions(of user: UserID, in tenant: TenantID, now: Timestamp) throws -> Bool
    /// Deletes all the user's data. False if unknown.
    func remove(user: UserID, from tenant: TenantID) throws -> Bool

    /// Ends the user's sessions and notifies their clients. Deletes refresh tokens and codes with the access tokens of
    /// the same authorizations, unfinished logins, and enrolment tickets.
    func endAccess(of user: UserID, in tenant: TenantID, now: Timestamp) throws
    /// Deletes unfinished grants of tokens to the user: logins, codes and approved requests. Non-nil `session` limits
    /// this to its codes.
    func endUnfinished(of user: UserID, session: SessionID?, in tenant: TenantID) throws
    /// Revokes access tokens of codes from the user's sessions or from one session.
    func endTokens(of user: UserID, session: SessionID?, in tenant: TenantID, now: Timestamp) throws
    /// Deletes the user's unused tickets.
    func removeTickets(of user: UserID, in tenant: TenantID) throws
    /// Deletes the user's requests. Returns the SHA-256 of each `auth_req_id`.
    func removeRequests(to user: UserID, in tenant: TenantID) throws -> [[UInt8]]

    /// Deletes an account's failed attempts from every address. Returns the number of counts.
    func forgetAttempts(at account: AttemptKey, in tenant: TenantID) throws -> Int

    /// Notifies its clients. Nil if the session is unknown.
    func end(session: SessionID, in tenant: TenantID, now: Timestamp) throws -> SessionEnd?
    /// Also revokes access tokens of the same authorizations; `tokensExpireAt` is the latest expiry. Returns the
    /// removed ids.
    func removeRefreshTokens(
        _ filter: RefreshTokenFilter, from tenant: TenantID, tokensExpireAt: Timestamp
    ) throws -> [AuthorizationID]
    /// Sets applications' metadata. False if the token is unknown.
    func put(metadata: JSONObject, ofRefreshToken id: AuthorizationID, in tenant: TenantID) throws -> Bool
    /// Also revokes the consents' tokens and codes. Returns the number of consents.
    func removeConsents(_ filter: ConsentFilter, from tenant: TenantID, now: Timestamp) throws -> Int

    /// Also deletes its one-time passwords, and voids the second factors that the user gave before `now`. False if unknown.
    func remove(device: DeviceID, from tenant: TenantID, now: Timestamp) throws -> Bool
    func put(name: String, ofDevice id: DeviceID, in tenant: TenantID) throws
    /// Also voids the second factors that the user gave before `now`. False if there is none.
    func remove(passkey id: [UInt8], of user: UserID, from tenant: TenantID, now: Timestamp) throws -> Bool
    /// Also voids the second factors that the user gave before `now`.
    func removeOneTimePasswords(of device: DeviceID, of user: UserID, in tenant: TenantID, now: Timestamp) throws
    func add(_ new: NewAuthenticator, in tenant: TenantID) throws
    /// Also voids the second factors that the user gave before `now`. False if the user has no such authenticator.
    func remove(authenticator id: AuthenticatorID, of user: UserID, from tenant: TenantID, now: Timestamp) throws
        -> Bool
    /// Also voids the second factors that the user gave before `now`. The codes' SHA-256 are stored.
    func replaceRecoveryCodes(of user: UserID, by hashes: [[UInt8]], in tenant: TenantID, now: Timestamp) throws

    /// Needs a free identity and an existing user.
    func link(_ identity: UserIdentity, to user: UserID, in tenant: TenantID) throws
    /// False if not linked to the user.
    func unlink(_ identity: UserIdentity, from user: UserID, in tenant: TenantID) throws -> Bool

    /// Replaces the user's earlier ticket of its kind, except enrolment tickets.
    func put(_ ticket: UserTicket, in tenant: TenantID) throws
    func enqueue(_ mail: SealedMail) throws

    /// False if the user's device has a key already.
    func add(_ credential: DeviceCredential, in tenant: TenantID) throws -> Bool
    /// Returns its user. Nil means unknown.
    func remove(deviceCredential id: String, from tenant: TenantID) throws -> UserID?

    /// False, with nothing changed, if the job is limited and its tenant has `limit` unfinished limited jobs of its kind.
    func add(_ job: UserJob, parts: [[UInt8]], limit: Int) throws -> Bool
    /// Writes how far the job is, with its new parts by their numbers, and deletes the parts before its place. False, with
    /// nothing changed, if it is not at `place` any more.
    func advance(_ job: UserJob, from place: Int, adding parts: [Int: [UInt8]], errors: [UserJobError]) throws -> Bool
}
