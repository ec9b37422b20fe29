package import Audit
package import AuthorizationCore
package import Primitives

/// Store port for recognizing the user of a browser.
package protocol SessionReader: ChangedRowStore {
    /// The session of a cookie, with its user. Nil if it ended or expired, or its user is deleted. Throws
    /// `ChangedRow`.
    func session(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> (session: Session, user: User)?

    /// Number of times that the user's access was ended. Nil if there is no such user.
    func accessEndings(of user: UserID, tenant: TenantID) async throws -> Int?
}

extension SessionReader {
    /// The session of the browser's cookie, with its user. A session whose row somebody else changed ends.
    func session(
        of browser: Browser, _ context: RequestContext, _ hashing: any Hashing
    ) async throws -> (session: Session, user: User)? {
        guard let cookie = browser.sessionCookie else { return nil }
        let hash = hashing.digest(cookie)
        return try await intact(hash, context) {
            try await session(hash, tenant: context.tenant.id, now: context.now)
        }
    }
}

/// Store port for logouts.
package protocol SessionStore: SessionReader {
    /// Ends a session, and keeps a notice for each of its clients. Nil if there is no such session.
    func end(_ session: EndedSession, tenant: TenantID, event: AuditEvent) async throws -> SessionEnd?
}

/// Names a session that ends.
package enum EndedSession: Sendable, Equatable {
    case cookie(hash: [UInt8])
    case id(SessionID)
}

/// Note that a client got a code in a session.
package struct SessionUse: Sendable, Equatable {
    package let id: SessionID
    package let client: ClientID
    /// The tenant's host that the client called, which is the issuer that it knows.
    package let host: String
    package let at: Timestamp
    package let idleExpiresAt: Timestamp

    package init(id: SessionID, client: ClientID, host: String, at: Timestamp, idleExpiresAt: Timestamp) {
        self.id = id
        self.client = client
        self.host = host
        self.at = at
        self.idleExpiresAt = idleExpiresAt
    }
}
