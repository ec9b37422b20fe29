public import Primitives

/// That a user is logged in in a browser: what a session, a code and tokens say of it.
public struct Authentication: Sendable, Equatable {
    public let user: UserID
    /// `auth_time`.
    public let at: Timestamp
    /// Whether `at` is when the person proved themselves. False where another provider does not say when that was: then
    /// it is when they came back from there, and meets no `max_age`.
    public let isTimeKnown: Bool
    /// `amr` (RFC 8176): `pwd`, `otp`, `pop`, `mfa`, `fed` for an upstream provider.
    public var methods: [String]
    /// The name of the connection.
    public let connection: String
    /// How often the user's access had been ended when they proved themselves. Once it was ended again, this proves
    /// nothing any more.
    public let accessEndings: Int

    public init(
        user: UserID, at: Timestamp, isTimeKnown: Bool = true, methods: [String], connection: String,
        accessEndings: Int = 0
    ) {
        self.user = user
        self.at = at
        self.isTimeKnown = isTimeKnown
        self.methods = methods
        self.connection = connection
        self.accessEndings = accessEndings
    }
}

/// A browser's session (OIDC Session Management: the OP session).
public struct Session: Sendable, Equatable {
    /// SHA-256 of the cookie.
    public let hash: [UInt8]
    /// `sid` in ID tokens and logout tokens: public, and worth nothing as a cookie.
    public let id: SessionID
    public let tenant: TenantID
    public var authentication: Authentication
    public let createdAt: Timestamp
    public var lastUsedAt: Timestamp
    /// The end at the latest.
    public let expiresAt: Timestamp
    /// The end where it is not used before.
    public var idleExpiresAt: Timestamp

    public init(
        hash: [UInt8], id: SessionID, tenant: TenantID, authentication: Authentication, createdAt: Timestamp,
        lastUsedAt: Timestamp, expiresAt: Timestamp, idleExpiresAt: Timestamp
    ) {
        self.hash = hash
        self.id = id
        self.tenant = tenant
        self.authentication = authentication
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
        self.idleExpiresAt = idleExpiresAt
    }
}

/// A session that ended.
public struct SessionEnd: Sendable, Equatable {
    public let id: SessionID
    public let user: UserID

    public init(id: SessionID, user: UserID) {
        self.id = id
        self.user = user
    }
}
