package import Audit
package import AuthorizationCore
package import OAuthWire
package import Primitives

/// Store port for the pages of people's own accounts.
package protocol OwnAccountStore: AccountReader, AttemptStore, EnrollmentStore, PreferenceStore, ApprovalStore,
    RecoveryCodeReader, PasskeyReader, AuditLog
{
    /// Makes a change with its audit entry and its mail, in one transaction. Nil, with nothing changed but a used
    /// challenge, if the author's session ended, the thing to change is not the author's, or is gone.
    func apply(
        _ change: AccountChange, by author: AccountAuthor, event: AuditEvent, mail: SealedMail?
    ) async throws -> AppliedChange?

    /// The user's sessions, the last used first, at most `limit`.
    func sessions(of user: UserID, tenant: TenantID, now: Timestamp, limit: Int) async throws -> [OwnSession]

    /// The user's authenticator apps, oldest first.
    func authenticators(of user: UserID, tenant: TenantID) async throws -> [Authenticator]

    /// Access that clients have in the user's name, at most `limit` grants.
    func applications(
        of user: UserID, tenant: TenantID, now: Timestamp, limit: Int
    ) async throws -> [AllowedApplication]

    /// Time until which a decision of the user is kept. Nil if none is kept.
    func decisionsKept(of user: UserID, tenant: TenantID, now: Timestamp) async throws -> Timestamp?

    /// The user's entries of the audit log, the newest first.
    func ownEntries(of user: UserID, tenant: TenantID, limit: Int) async throws -> [AuditEntry]
}

/// Consequences of a change for others.
package struct AppliedChange: Sendable, Equatable {
    /// Stored forms of the `auth_req_id`s of deleted requests, whose polls wake up.
    package var requests: [[UInt8]] = []

    package init(requests: [[UInt8]] = []) { self.requests = requests }
}

/// A session as its person sees it.
package struct OwnSession: Sendable, Equatable {
    package let session: Session
    /// Clients that got a code in the session.
    package let clients: [ClientID]

    package init(session: Session, clients: [ClientID]) {
        self.session = session
        self.clients = clients
    }
}

/// Access of a client to an API in a user's name: a consent or unexpired refresh tokens.
package struct AllowedApplication: Sendable, Equatable {
    package let client: ClientID
    package let audience: String
    package let scope: ScopeSet
    package let since: Timestamp

    package init(client: ClientID, audience: String, scope: ScopeSet, since: Timestamp) {
        self.client = client
        self.audience = audience
        self.scope = scope
        self.since = since
    }
}
