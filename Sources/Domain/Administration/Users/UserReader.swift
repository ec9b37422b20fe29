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

/// How many attempts at an account failed.
package struct AttemptCount: Sendable, Equatable {
    /// The peer's address; nil for all of them together.
    package let address: String?
    package let count: Int

    package init(address: String?, count: Int) {
        self.address = address
        self.count = count
    }
}

/// A session with the clients that got a code in it.
package struct SessionRecord: Sendable, Equatable {
    package let session: Session
    package let clients: [ClientID]

    package init(session: Session, clients: [ClientID]) {
        self.session = session
        self.clients = clients
    }
}

/// A family of refresh tokens, of which the outside sees one token that changes.
package struct RefreshTokenRecord: Sendable, Equatable {
    package let family: RefreshTokenFamily
    package let metadata: JSONObject

    package init(family: RefreshTokenFamily, metadata: JSONObject) {
        self.family = family
        self.metadata = metadata
    }
}

/// A phone with what it can prove its user by.
package struct DeviceRecord: Sendable, Equatable {
    package let device: Device
    /// Whether it makes one-time passwords, too.
    package let hasOneTimePasswords: Bool

    package init(device: Device, hasOneTimePasswords: Bool) {
        self.device = device
        self.hasOneTimePasswords = hasOneTimePasswords
    }
}

/// Which refresh tokens are meant: those that have all that is not nil.
package struct RefreshTokenFilter: Sendable, Equatable {
    package var ids: [AuthorizationID]?
    package var user: UserID?
    package var client: ClientID?
    package var audience: String?
    package var session: SessionID?

    package init(
        ids: [AuthorizationID]? = nil, user: UserID? = nil, client: ClientID? = nil, audience: String? = nil,
        session: SessionID? = nil
    ) {
        self.ids = ids
        self.user = user
        self.client = client
        self.audience = audience
        self.session = session
    }
}

/// Which consents are meant: those that have all that is not nil.
package struct ConsentFilter: Sendable, Equatable {
    package var user: UserID?
    package var client: ClientID?
    package var audience: String?

    package init(user: UserID? = nil, client: ClientID? = nil, audience: String? = nil) {
        self.user = user
        self.client = client
        self.audience = audience
    }
}
