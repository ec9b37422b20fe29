package import Audit
package import AuthorizationCore
package import Primitives

/// What browsers' sessions need of a store.
package protocol SessionStore: Sendable {
    /// The session of a cookie with its user; nil where it has ended or expired, or its user is gone.
    func session(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> (session: Session, user: User)?

    /// Keeps a new session in place of the browser's old one. Where both have one `id`, the old one goes on as the new
    /// one, with its clients; otherwise it ends as by `end`. False, with nothing kept, where the user is gone or their
    /// access was ended since they proved themselves.
    func create(_ session: Session, replacing old: [UInt8]?, event: AuditEvent) async throws -> Bool

    /// Ends a session, and keeps that its clients are to be told. Nil where there is none.
    func end(_ session: EndedSession, tenant: TenantID, event: AuditEvent) async throws -> SessionEnd?
}

/// Which session ends: that of a cookie, or that of a `sid`.
package enum EndedSession: Sendable, Equatable {
    case cookie(hash: [UInt8])
    case id(SessionID)
}

/// That a client got a code in a session.
package struct SessionUse: Sendable, Equatable {
    package let id: SessionID
    package let client: ClientID
    /// The tenant's host that the client called: the issuer it knows.
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
