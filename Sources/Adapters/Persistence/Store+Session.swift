package import Audit
package import AuthorizationCore
package import Flows
package import Primitives
import SQL

extension Store: SessionStore, CompletionStore {
    private static let findSession = StaticStatement(
        parts: ["SELECT"] + Session.columns
            + ["FROM session WHERE hash = $1 AND tenant = $2 AND expires_at > $3 AND idle_expires_at > $3"])

    package func session(
        _ hash: [UInt8], tenant: TenantID, now: Timestamp
    ) async throws -> (session: Session, user: User)? {
        try await database.read { connection in
            let found = try connection.first(Self.findSession(hash, tenant, now)) { row in
                try requireIntact(row, .session)
                return try Session(row)
            }
            guard let session = found,
                let user = try Self.user(session.authentication.user, tenant: tenant, connection)
            else { return nil }
            return (session, user)
        }
    }

    private static let insertSession = StaticStatement(
        "INSERT INTO session (", RowSeal.session.list,
        """
        , last_used_at, idle_expires_at, user_agent, address, seal)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17
        FROM "user" WHERE tenant = $3 AND id = $4 AND access_endings = $11
        ON CONFLICT (id) DO UPDATE SET
            hash = excluded.hash, auth_time = excluded.auth_time, auth_time_known = excluded.auth_time_known,
            methods = excluded.methods, access_endings = excluded.access_endings,
            second_factor_at = excluded.second_factor_at,
            connection = excluded.connection, created_at = excluded.created_at, last_used_at = excluded.last_used_at,
            expires_at = excluded.expires_at, idle_expires_at = excluded.idle_expires_at,
            user_agent = excluded.user_agent, address = excluded.address, seal = excluded.seal
        """)

    package func create(_ session: Session, replacing old: [UInt8]?, event: AuditEvent) async throws -> Bool {
        try await database.write { connection in
            let authentication = session.authentication
            // An ending of the person's access that is under way comes first, and then the count differs.
            try connection.lock(authentication.user, in: session.tenant)
            let kept = try connection.execute(
                sealed(
                    Self.insertSession(
                        session.hash, session.id, session.tenant, authentication.user, authentication.at,
                        authentication.methods.joined(separator: " "), authentication.connection, session.createdAt,
                        session.expiresAt, authentication.isTimeKnown, authentication.accessEndings,
                        authentication.secondFactorAt,
                        session.lastUsedAt, session.idleExpiresAt, session.origin.userAgent, session.origin.address),
                    .session))
            guard kept == 1 else { return false }
            if let old {
                _ = try end(
                    where: "hash = \(old) AND tenant = \(session.tenant) AND id <> \(session.id)", now: event.at,
                    connection)
            }
            try Self.noteLogin(authentication, tenant: session.tenant, from: event.remoteAddress, connection)
            try append(event, connection)
            return true
        }
    }

    private static let useSession = StaticStatement(
        """
        UPDATE session SET last_used_at = $4, idle_expires_at = $5
        WHERE id = $1 AND tenant = $2 AND "user" = $3 AND expires_at > $4 AND idle_expires_at > $4
        """)
    private static let addClient = StaticStatement(
        """
        INSERT INTO session_client (session, client, first_used_at, host) VALUES ($1, $2, $3, $4)
        ON CONFLICT (session, client) DO NOTHING
        """)

    /// Records within a transaction that a client got a code in a session. False if the session ended or is not the
    /// user's.
    static func use(_ use: SessionUse, by user: UserID, tenant: TenantID, _ connection: any Connection) throws -> Bool {
        guard try connection.execute(useSession(use.id, tenant, user, use.at, use.idleExpiresAt)) == 1 else {
            return false
        }
        try connection.execute(addClient(use.id, use.client, use.at, use.host))
        return true
    }

    package func end(_ session: EndedSession, tenant: TenantID, event: AuditEvent) async throws -> SessionEnd? {
        try await database.write { connection in
            let condition: SQLFragment =
                switch session {
                case .cookie(let hash): "hash = \(hash)"
                case .id(let id): "id = \(id)"
                }
            guard let ended = try end(where: "\(condition) AND tenant = \(tenant)", now: event.at, connection)
            else { return nil }
            try append(event, connection)
            return ended
        }
    }

    /// Ends the matching session and notifies its clients.
    func end(where condition: SQLFragment, now: Timestamp, _ connection: any Connection) throws -> SessionEnd? {
        // One of two ends at once finds it.
        let session: Statement =
            #"SELECT id, "user" FROM session WHERE \#(condition) \#(raw: connection.dialect.holding(.deleting))"#
        let found = try connection.first(session) { row in
            SessionEnd(id: try row.id(0), user: try row.id(1))
        }
        guard let found else { return nil }
        try enqueueLogouts(ofSessions: "session.id = \(found.id)", now: now, connection)
        return try connection.execute("DELETE FROM session WHERE id = \(found.id)") == 1 ? found : nil
    }

    /// Clients that got a code in a session. Deleting the session deletes these rows.
    static func clients(in session: SessionID, _ connection: any Connection) throws -> [ClientID] {
        try connection.query(
            "SELECT client FROM session_client WHERE session = \(session) ORDER BY first_used_at, client"
        ) { try $0.id(0) }
    }

    /// Ends the user's sessions and notifies their clients. Ends all browser authorizations and unfinished logins.
    /// Deletes enrolment tickets, which a thief of the password may have seen.
    func endAccess(of user: UserID, tenant: TenantID, now: Timestamp, _ connection: any Connection) throws {
        let theirs: SQLFragment = #"tenant = \#(tenant) AND "user" = \#(user)"#
        try connection.lock(user, in: tenant)
        try enqueueLogouts(
            ofSessions: #"session.tenant = \#(tenant) AND session."user" = \#(user)"#, now: now, connection)
        try connection.execute("DELETE FROM session WHERE \(theirs)")
        try connection.execute("DELETE FROM enrollment_ticket WHERE \(theirs)")
        try Self.endUnfinished(of: user, tenant: tenant, connection)
        try connection.execute(
            """
            INSERT INTO ended_refresh_token (hash, tenant, client, "user", expires_at)
            SELECT hash, tenant, client, "user", expires_at FROM refresh_token_family WHERE \(theirs)
            """)
        try Self.endAuthorizations(where: theirs, now: now, connection)
    }

    /// Ends access that could still give tokens: logins in progress (by the count), codes and approved requests. A
    /// pending request stays, because the phone decides it.
    static func endUnfinished(of user: UserID, tenant: TenantID, _ connection: any Connection) throws {
        let theirs: SQLFragment = #"tenant = \#(tenant) AND "user" = \#(user)"#
        try connection.execute(
            #"UPDATE "user" SET access_endings = access_endings + 1 WHERE tenant = \#(tenant) AND id = \#(user)"#)
        try connection.hold("authorization_code", by: "sequence", where: theirs)
        try connection.execute("DELETE FROM authorization_code WHERE \(theirs) AND redeemed = 0")
        _ = try removeRequests(
            where: "\(theirs) AND state = \(BackchannelRequest.State.approved.rawValue)", connection)
    }

    /// Deletes requests, and returns the stored form of each one's `auth_req_id`. Waits for decisions that are under way.
    static func removeRequests(where condition: SQLFragment, _ connection: any Connection) throws -> [[UInt8]] {
        try connection.hold("backchannel_request", by: "sequence", where: condition)
        return try connection.query("DELETE FROM backchannel_request WHERE \(condition) RETURNING hash") {
            try $0.blob(0)
        }
    }
}
