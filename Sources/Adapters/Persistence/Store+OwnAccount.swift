package import Audit
package import AuthorizationCore
package import Flows
import Localization
package import Primitives
import SQL

extension Store: OwnAccountStore {
    private static let findAuthor = StaticStatement(
        """
        SELECT 1 FROM session WHERE id = $1 AND hash = $2 AND tenant = $3 AND "user" = $4 AND expires_at > $5
            AND idle_expires_at > $5
        """)

    package func apply(
        _ change: AccountChange, by author: AccountAuthor, event: AuditEvent, mail: SealedMail?
    ) async throws -> AppliedChange? {
        try await allOrNothing { connection -> AppliedChange? in
            try connection.lock(author.user, in: author.tenant)
            guard try Self.isThere(author, now: event.at, connection),
                let applied = try perform(change, author, event, connection)
            else { return nil }
            if let mail { try insert(mail, connection) }
            try append(event, connection)
            return applied
        }
    }

    /// True while the author's session lives.
    static func isThere(_ author: AccountAuthor, now: Timestamp, _ connection: any Connection) throws -> Bool {
        try connection.exists(findAuthor(author.session, author.cookie, author.tenant, author.user, now))
    }

    /// Keeps the author's own second factor, which was recent, beside those that a removal voids.
    static func renewFactor(
        of author: AccountAuthor, now: Timestamp, _ store: Store, _ connection: any Connection
    ) throws {
        _ = try store.rewrite(
            .session, where: "id = \(author.session) AND tenant = \(author.tenant) AND second_factor_at IS NOT NULL",
            setting: [("second_factor_at", .integer(now.milliseconds))], connection)
    }

    /// Nil, with nothing changed, if there is nothing to change.
    private func perform(
        _ change: AccountChange, _ author: AccountAuthor, _ event: AuditEvent, _ connection: any Connection
    ) throws -> AppliedChange? {
        let theirs: SQLFragment = #"tenant = \#(author.tenant) AND "user" = \#(author.user)"#
        func done(_ changed: Int) -> AppliedChange? { changed > 0 ? AppliedChange() : nil }
        switch change {
        case .rename(let device, let name):
            return done(
                try connection.execute("UPDATE device SET name = \(name) WHERE id = \(device) AND \(theirs)"))
        case .phones(let lost, let ticket):
            return try changePhones(lost, ticket, author, event, connection)
        case .recoveryCodes(let hashes):
            guard try Self.hasPhoneOrApp(author.user, tenant: author.tenant, connection) else { return nil }
            try replaceRecoveryCodes(of: author.user, by: hashes, tenant: author.tenant, now: event.at, connection)
            try Self.voidFactors(of: author.user, tenant: author.tenant, now: event.at, connection)
            try Self.renewFactor(of: author, now: event.at, self, connection)
            return AppliedChange()
        case .addPasskey(let passkey, let challenge):
            return try Self.add(
                passkey, limit: OwnedPasskey.limit, challenge: challenge, tenant: author.tenant, now: event.at,
                connection) ? AppliedChange() : nil
        case .letPasskeyLogIn(let id):
            return done(
                try connection.execute(
                    "UPDATE passkey SET logs_in = 1 WHERE id = \(id) AND \(theirs) AND logs_in = 0"))
        case .renamePasskey(let id, let name):
            return done(try connection.execute("UPDATE passkey SET name = \(name) WHERE id = \(id) AND \(theirs)"))
        case .removePasskey(let id):
            guard
                try Self.remove(passkey: id, of: author.user, tenant: author.tenant, now: event.at, connection)
            else { return nil }
            try Self.renewFactor(of: author, now: event.at, self, connection)
            return AppliedChange()
        case .removeAuthenticator(let id):
            guard
                try Self.remove(
                    authenticator: id, of: author.user, tenant: author.tenant, now: event.at, connection)
            else { return nil }
            try Self.renewFactor(of: author, now: event.at, self, connection)
            return AppliedChange()
        case .endSession(let session):
            return try end(where: "id = \(session) AND \(theirs)", now: event.at, connection)
                .map { _ in AppliedChange() }
        case .endOtherSessions:
            try endSessions(of: author, now: event.at, connection)
            return AppliedChange()
        case .withdraw(let client):
            let condition: SQLFragment = "\(theirs) AND client = \(client)"
            let consents = try connection.execute("DELETE FROM consent_grant WHERE \(condition)")
            let families = try connection.first("SELECT count(*) FROM refresh_token_family WHERE \(condition)") {
                try $0.int(0)
            }
            try Self.endAuthorizations(where: condition, now: event.at, connection)
            return done(consents + (families ?? 0))
        case .password(let hash, let old): return try replacePassword(old, by: hash, author, event.at, connection)
        case .language(let language):
            let changed = try connection.execute(
                """
                UPDATE "user" SET language = \(language?.rawValue), updated_at = \(event.at)
                WHERE tenant = \(author.tenant) AND id = \(author.user)
                """)
            try Self.describe(author.user, tenant: author.tenant, connection)
            return done(changed)
        case .quietHours(let hours):
            try Self.put(hours, of: author.user, tenant: author.tenant, connection)
            return AppliedChange()
        case .deleteAccount: return try deleteAccount(author, event.at, connection)
        }
    }

    private func changePhones(
        _ lost: [DeviceID], _ ticket: EnrollmentTicket?, _ author: AccountAuthor, _ event: AuditEvent,
        _ connection: any Connection
    ) throws -> AppliedChange? {
        var removed = 0
        for device in lost {
            let count = try Self.removeDevices(
                where: #"id = \#(device) AND "user" = \#(author.user)"#, tenant: author.tenant, now: event.at,
                connection
            ).count
            // The first is in `event`.
            if count > 0, removed > 0 {
                try append(event.beside(.unenrolled, user: event.user, device: device), connection)
            }
            removed += count
        }
        // A form that comes again finds the phones gone, and makes no further ticket.
        guard lost.isEmpty || removed > 0 else { return nil }
        if removed > 0 { try Self.renewFactor(of: author, now: event.at, self, connection) }
        if let ticket {
            try Self.insert(ticket, connection)
            if !lost.isEmpty {
                try append(event.beside(.enrollmentTicketCreated, user: event.user), connection)
            }
        }
        return AppliedChange()
    }

    private func endSessions(
        of author: AccountAuthor, now: Timestamp, _ connection: any Connection
    ) throws {
        let others: SQLFragment = """
            session.tenant = \(author.tenant) AND session."user" = \(author.user) AND session.id <> \(author.session)
            """
        try enqueueLogouts(ofSessions: others, now: now, connection)
        try connection.execute("DELETE FROM session WHERE \(others)")
    }

    /// The old password is worth nothing from now on. Its gifts end: other sessions, tokens that did not come of this session, and
    /// tickets.
    private func replacePassword(
        _ old: String, by hash: String, _ author: AccountAuthor, _ now: Timestamp, _ connection: any Connection
    ) throws -> AppliedChange? {
        let theirs: SQLFragment = #"tenant = \#(author.tenant) AND "user" = \#(author.user)"#
        let changed = try connection.execute(
            """
            UPDATE "user" SET password_hash = \(hash), updated_at = \(now)
            WHERE tenant = \(author.tenant) AND id = \(author.user) AND password_hash = \(old)
            """)
        guard changed == 1 else { return nil }
        try Self.describe(author.user, tenant: author.tenant, connection)
        try Self.noteNewPassword(of: author.user, tenant: author.tenant, at: now, connection)
        try endSessions(of: author, now: now, connection)
        for table in ["enrollment_ticket", "password_ticket"] {
            try connection.execute("DELETE FROM \(raw: table) WHERE \(theirs)")
        }
        try Self.endUnfinished(of: author.user, tenant: author.tenant, connection)
        try Self.endAuthorizations(
            where: "\(theirs) AND session IS DISTINCT FROM \(author.session)", now: now, connection)
        let endings = try connection.first(
            #"SELECT access_endings FROM "user" WHERE tenant = \#(author.tenant) AND id = \#(author.user)"#
        ) { try $0.int64(0) }
        _ = try rewrite(
            .session, where: "id = \(author.session) AND tenant = \(author.tenant)",
            setting: [("access_endings", .integer(endings ?? 0))], connection)
        return AppliedChange()
    }

    /// Nil while a decision is kept: deleting the user would delete the evidence of others.
    private func deleteAccount(
        _ author: AccountAuthor, _ now: Timestamp, _ connection: any Connection
    ) throws -> AppliedChange? {
        let theirs: SQLFragment = #"tenant = \#(author.tenant) AND "user" = \#(author.user)"#
        let kept: Statement = "SELECT 1 FROM approval WHERE \(theirs) AND kept_until > \(now)"
        guard try !connection.exists(kept) else { return nil }
        let requests = try Self.removeRequests(where: theirs, connection)
        // A decision that was under way has ended, and none can follow.
        guard try !connection.exists(kept) else { throw TakenBack() }
        try endAccess(of: author.user, tenant: author.tenant, now: now, connection)
        try connection.execute(#"DELETE FROM "user" WHERE tenant = \#(author.tenant) AND id = \#(author.user)"#)
        return AppliedChange(requests: requests)
    }

    // MARK: reading

    package func sessions(
        of user: UserID, tenant: TenantID, now: Timestamp, limit: Int
    ) async throws -> [OwnSession] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT \(raw: Session.columns.map(\.description).joined()) FROM session
                WHERE tenant = \(tenant) AND "user" = \(user) AND expires_at > \(now) AND idle_expires_at > \(now)
                ORDER BY last_used_at DESC, sequence DESC LIMIT \(limit)
                """
            ) { try Session($0) }.map { OwnSession(session: $0, clients: try Self.clients(in: $0.id, connection)) }
        }
    }

    package func applications(
        of user: UserID, tenant: TenantID, now: Timestamp, limit: Int
    ) async throws -> [AllowedApplication] {
        try await database.query(
            """
            SELECT client, audience, scope, min(since) FROM (
                SELECT client, audience, scope, created_at AS since FROM consent_grant
                WHERE tenant = \(tenant) AND "user" = \(user)
                UNION ALL SELECT client, audience, scope, created_at FROM refresh_token_family
                WHERE tenant = \(tenant) AND "user" = \(user) AND expires_at > \(now)
                    AND (idle_expires_at IS NULL OR idle_expires_at > \(now))) allowed
            GROUP BY client, audience, scope ORDER BY client, audience, scope LIMIT \(limit)
            """
        ) { row in
            AllowedApplication(
                client: try row.id(0), audience: try row.text(1), scope: try row.scope(2),
                since: try row.timestamp(3))
        }
    }

    package func authenticators(of user: UserID, tenant: TenantID) async throws -> [Authenticator] {
        try await database.read { try Self.authenticators(of: user, tenant: tenant, $0) }
    }

    package func decisionsKept(of user: UserID, tenant: TenantID, now: Timestamp) async throws -> Timestamp? {
        try await database.first(
            """
            SELECT max(kept_until) FROM approval
            WHERE tenant = \(tenant) AND "user" = \(user) AND kept_until > \(now)
            """
        ) { try $0.optionalTimestamp(0) } ?? nil
    }

    package func ownEntries(of user: UserID, tenant: TenantID, limit: Int) async throws -> [AuditEntry] {
        let last = try await lastEntry()
        return try await entries(
            of: .tenant(tenant), matching: .user(user), in: 0...max(0, last), newestFirst: true, limit: limit
        ).map(\.entry)
    }
}
