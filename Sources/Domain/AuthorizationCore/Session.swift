package import Primitives

/// A user's login in a browser, as a session, a code and tokens state it.
package struct Authentication: Sendable, Equatable {
    package let user: UserID
    /// `auth_time`.
    package let at: Timestamp
    /// True if the user authenticated at `at`. False if another provider did not state the time: then `at` is the
    /// return from there, and satisfies no `max_age`.
    package let isTimeKnown: Bool
    /// `amr` (RFC 8176): `pwd`, `otp`, `pop`, `mfa`, `fed` for an upstream provider.
    package var methods: [String]
    package let connection: String
    /// Number of times that the user's access had been ended at the authentication. A further end makes it invalid.
    package let accessEndings: Int
    /// Time of the last second factor. Nil if none was given.
    package var secondFactorAt: Timestamp?

    package init(
        user: UserID, at: Timestamp, isTimeKnown: Bool = true, methods: [String], connection: String,
        accessEndings: Int = 0, secondFactorAt: Timestamp? = nil
    ) {
        self.user = user
        self.at = at
        self.isTimeKnown = isTimeKnown
        self.methods = methods
        self.connection = connection
        self.accessEndings = accessEndings
        self.secondFactorAt = secondFactorAt
    }
}

/// A browser's session (OIDC Session Management: the OP session).
package struct Session: Sendable, Equatable {
    /// SHA-256 of the cookie.
    package let hash: [UInt8]
    /// `sid` in ID tokens and logout tokens: public, and worth nothing as a cookie.
    package let id: SessionID
    package let tenant: TenantID
    package var authentication: Authentication
    package let createdAt: Timestamp
    package var lastUsedAt: Timestamp
    /// Latest end of the session.
    package let expiresAt: Timestamp
    /// End if the session stays unused.
    package var idleExpiresAt: Timestamp
    package var origin: Origin

    /// The browser of the last login, as its person recognizes it. No rule depends on it.
    package struct Origin: Sendable, Equatable {
        /// The `User-Agent`, at most as much of it as `RequestTrace` keeps.
        package var userAgent: String?
        /// The network address, of IPv6 the network of 64 bits.
        package var address: String?

        package init(userAgent: String? = nil, address: String? = nil) {
            self.userAgent = userAgent
            self.address = address
        }

        package init(_ context: RequestContext) {
            userAgent = context.trace?.userAgent
            address = context.remoteAddress.map { CountedAddress($0).description }
        }
    }

    package init(
        hash: [UInt8], id: SessionID, tenant: TenantID, authentication: Authentication, createdAt: Timestamp,
        lastUsedAt: Timestamp, expiresAt: Timestamp, idleExpiresAt: Timestamp, origin: Origin = Origin()
    ) {
        self.hash = hash
        self.id = id
        self.tenant = tenant
        self.authentication = authentication
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
        self.idleExpiresAt = idleExpiresAt
        self.origin = origin
    }
}

package struct SessionEnd: Sendable, Equatable {
    package let id: SessionID
    package let user: UserID

    package init(id: SessionID, user: UserID) {
        self.id = id
        self.user = user
    }
}
