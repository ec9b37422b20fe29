package import Audit
package import AuthorizationCore
package import Primitives

/// A user with what proves them.
package struct Account: Sendable, Equatable {
    package let user: User
    /// The encoded hash; nil for a user who has no password.
    package let passwordHash: String?
    /// How often the user's access was ended.
    package let accessEndings: Int

    package init(user: User, passwordHash: String?, accessEndings: Int = 0) {
        self.user = user
        self.passwordHash = passwordHash
        self.accessEndings = accessEndings
    }
}

/// What logging in, signing up and passwords need of a store.
package protocol AccountStore: Sendable {
    /// The database's user of an e-mail address in lower case.
    func account(email: String, tenant: TenantID) async throws -> Account?

    func account(_ user: UserID, tenant: TenantID) async throws -> Account?

    /// How often the user's access was ended; nil where there is no such user.
    func accessEndings(of user: UserID, tenant: TenantID) async throws -> Int?

    /// Keeps a new user of the database, with the letter that asks to confirm the address. False where that is taken:
    /// then nothing is kept.
    func signUp(
        _ user: User, passwordHash: String, letter: VerificationLetter?, tenant: TenantID, events: [AuditEvent]
    ) async throws -> Bool

    /// The user of an upstream identity.
    func account(of identity: UpstreamIdentity, tenant: TenantID) async throws -> Account?

    /// Keeps the profile that an upstream provider gave: of a new user, or of one it had given before, whose roles,
    /// block, language and phone number stay. An identity that was linked to another user stays so, and that user's
    /// profile too; the event is kept in any case.
    func keep(_ user: User, identity: UpstreamIdentity, tenant: TenantID, event: AuditEvent) async throws

    /// Links an identity to a user that exists. False where it is linked to another, or there is no such user. True
    /// without another event where it was linked to that user before.
    func link(_ identity: UpstreamIdentity, to user: UserID, tenant: TenantID, event: AuditEvent) async throws -> Bool

    /// Counts as `countFailure` does, and where no count is above its limit then, keeps the ticket to set a password, in
    /// place of the user's earlier ones, and the mail that brings it. `event` is told whether it was kept. It is one
    /// change in any case: of a request for nobody, nothing but the counts stays.
    func createPasswordTicket(
        _ ticket: PasswordTicket?, mail: SealedMail, counting limits: [AttemptLimit], tenant: TenantID, now: Timestamp,
        windowStart: Timestamp, event: @escaping @Sendable (_ isKept: Bool) -> AuditEvent?
    ) async throws

    /// Whom an unused ticket is for; nil where there is none, it has expired or the user has another address by now.
    func passwordTicket(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> PasswordTicket?

    /// Uses the ticket up, sets the password, and ends the user's access: sessions, refresh tokens and codes, with the
    /// access tokens of the same authorizations, logins that are under way, and enrolment tickets. The sessions' clients
    /// are to be told. A ticket that proves the e-mail address marks it as verified; where it was not before, somebody
    /// else may have signed up with it, so devices that were enrolled while logging in and linked identities go as well,
    /// and the mail that `notice` makes of them is kept, if any went. Failed attempts at `key` are forgotten, as by
    /// `clearFailures`. False where `passwordTicket` would have found none.
    func setPassword(
        _ hash: String, ticket: [UInt8], forgiving key: AttemptKey?, tenant: TenantID, now: Timestamp,
        event: AuditEvent, notice: @escaping @Sendable (RemovedAccess) throws -> SealedMail?
    ) async throws -> Bool

    /// Replaces a stored hash by another of the same password. False where it is not `old` any more.
    func replacePasswordHash(
        of user: UserID, _ old: String, by new: String, tenant: TenantID
    ) async throws -> Bool

    /// Counts a failed attempt against each key in turn, up to the first that then has more than its limit: what one
    /// address does beyond its own limit uses up nobody else's. Returns how many each has since `windowStart`. A count
    /// that began before that is forgotten as a whole.
    func countFailure(
        _ limits: [AttemptLimit], tenant: TenantID, now: Timestamp, windowStart: Timestamp, event: AuditEvent?
    ) async throws -> [Int]

    /// Failed attempts of each key since `windowStart`.
    func failures(
        _ keys: [AttemptKey], tenant: TenantID, windowStart: Timestamp
    ) async throws -> [FailedAttempts]

    /// Forgets failed attempts; those at an account in all together with those from every address.
    func clearFailures(_ key: AttemptKey, tenant: TenantID) async throws
}

/// Failed attempts that count together.
package struct FailedAttempts: Sendable, Equatable {
    package let count: Int
    /// The first of them: all are forgotten a window after it. Nil if there is none.
    package let beganAt: Timestamp?

    package init(count: Int, beganAt: Timestamp?) {
        self.count = count
        self.beganAt = beganAt
    }

    /// Seconds until they are forgotten; `window` is in seconds.
    func wait(window: Int, now: Timestamp) -> Int {
        guard let beganAt else { return window }
        return max(1, Int(((beganAt + .seconds(window)) - now).milliseconds + 999) / 1000)
    }
}

/// Devices and identities that a new password took from an account whose address was not proven before.
package struct RemovedAccess: Sendable, Equatable {
    package struct Device: Sendable, Equatable {
        package let id: DeviceID
        package let name: String

        package init(id: DeviceID, name: String) {
            self.id = id
            self.name = name
        }
    }

    package let devices: [Device]
    package let identities: [UpstreamIdentity]

    package init(devices: [Device], identities: [UpstreamIdentity]) {
        self.devices = devices
        self.identities = identities
    }

    package var isEmpty: Bool { devices.isEmpty && identities.isEmpty }
}

/// A user at an upstream provider.
package struct UpstreamIdentity: Sendable, Hashable {
    /// The connection's name.
    package let provider: String
    /// The provider's own identifier of the user.
    package let id: String

    package init(provider: String, id: String) {
        self.provider = provider
        self.id = id
    }

    /// The identity that a user was made of; nil for users of the database.
    package init?(of user: User) {
        guard user.connection != LoginConnection.defaultDatabaseName else { return nil }
        self.init(
            provider: user.connection, id: String(user.id.rawValue.dropFirst(user.connection.count + 1)))
    }

    /// `provider|id`.
    package var userID: UserID { UserID("\(provider)|\(id)") }
}

/// Lets whoever has it set a user's password.
package struct PasswordTicket: Sendable, Equatable {
    /// SHA-256 of the ticket.
    package let hash: [UInt8]
    package let tenant: TenantID
    package let user: UserID
    /// The user's address when it was made; with another one it is worth nothing.
    package let email: String?
    package let createdAt: Timestamp
    package let expiresAt: Timestamp
    /// Whether it went to the user's e-mail address and to nobody else.
    package let provesEmail: Bool
    /// Where the browser goes afterwards.
    package let resultURL: String?
    /// The client that the user was logging in to. Nil if it is not known.
    package let client: ClientID?

    package init(
        hash: [UInt8], tenant: TenantID, user: UserID, email: String?, createdAt: Timestamp, expiresAt: Timestamp,
        provesEmail: Bool = true, resultURL: String? = nil, client: ClientID? = nil
    ) {
        self.hash = hash
        self.tenant = tenant
        self.user = user
        self.email = email
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.provesEmail = provesEmail
        self.resultURL = resultURL
        self.client = client
    }
}
