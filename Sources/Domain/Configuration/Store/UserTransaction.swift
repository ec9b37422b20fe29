package import AuthorizationCore
package import Primitives

/// What administration changes of users within one change.
package protocol UserTransaction: UserReader {
    /// Ends the user's sessions, whose clients are told, and refresh tokens and codes with the access tokens that came of
    /// the same authorizations; logins that are under way, and enrolment tickets.
    func endAccess(of user: UserID, in tenant: TenantID, now: Timestamp) throws
    /// Ends what is not finished and would give the user's tokens yet: logins, codes, and requests that were approved.
    /// With `session`, that session's codes alone.
    func endUnfinished(of user: UserID, session: SessionID?, in tenant: TenantID) throws
    /// Ends the access tokens of codes that the user's sessions, or the one session, gave.
    func endTokens(of user: UserID, session: SessionID?, in tenant: TenantID, now: Timestamp) throws
    /// Takes back the tickets that were made for the user's password and e-mail address.
    func removeTickets(of user: UserID, in tenant: TenantID) throws
    /// Removes the requests to the user that gave no tokens yet. Returns the SHA-256 of each one's `auth_req_id`.
    func removeRequests(to user: UserID, in tenant: TenantID) throws -> [[UInt8]]

    /// Forgets the failed attempts at an account, from wherever they came. Returns how many counts there were.
    func forgetAttempts(at account: AttemptKey, in tenant: TenantID) throws -> Int

    /// Its clients are told. Nil where there is no such session.
    func end(session: SessionID, in tenant: TenantID, now: Timestamp) throws -> SessionEnd?
    /// Access tokens of the same authorizations end with them; `tokensExpireAt` is when the last of those would.
    /// Returns the removed ones' ids.
    func removeRefreshTokens(
        _ filter: RefreshTokenFilter, from tenant: TenantID, tokensExpireAt: Timestamp
    ) throws -> [AuthorizationID]
    /// What applications keep with a refresh token. False where there is none.
    func put(metadata: JSONObject, ofRefreshToken id: AuthorizationID, in tenant: TenantID) throws -> Bool
    /// Also ends the tokens and codes that were given on the strength of them. Returns how many there were.
    func removeConsents(_ filter: ConsentFilter, from tenant: TenantID, now: Timestamp) throws -> Int

    /// With its one-time passwords. False where there was none.
    func remove(device: DeviceID, from tenant: TenantID) throws -> Bool
    func put(name: String, ofDevice id: DeviceID, in tenant: TenantID) throws
    func removeOneTimePasswords(of device: DeviceID, in tenant: TenantID) throws

    /// The identity must be nobody's, and the user there.
    func link(_ identity: UserIdentity, to user: UserID, in tenant: TenantID) throws
    /// False where it was not the user's.
    func unlink(_ identity: UserIdentity, from user: UserID, in tenant: TenantID) throws -> Bool

    /// Replaces the user's earlier one of its kind, except that several phones may be enrolled.
    func put(_ ticket: UserTicket, in tenant: TenantID) throws
    /// Has a mail sent.
    func enqueue(_ mail: SealedMail) throws

    /// False where the user's device has one already.
    func add(_ credential: DeviceCredential, in tenant: TenantID) throws -> Bool
    /// Whose it was; nil where there was none.
    func remove(deviceCredential id: String, from tenant: TenantID) throws -> UserID?
}
