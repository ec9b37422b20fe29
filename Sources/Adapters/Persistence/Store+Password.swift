package import Audit
package import AuthorizationCore
package import Flows
package import Primitives
import SQL

/// Passwords in the account ports.
extension Store {
    package func createPasswordTicket(
        _ ticket: PasswordTicket?, of moved: MovedUser?, joining joined: MovedUser?, mail: SealedMail,
        counting limits: [AttemptLimit],
        tenant: TenantID, now: Timestamp, windowStart: Timestamp,
        event: @escaping @Sendable (_ isKept: Bool) -> AuditEvent?
    ) async throws {
        try await database.write { connection in
            if let ticket, joined != nil { try connection.lock(ticket.user, in: tenant) }
            let counts = try Self.count(limits, tenant: tenant, now: now, windowStart: windowStart, connection)
            var ticket = zip(counts, limits).allSatisfy { $0 <= $1.limit } ? ticket : nil
            if ticket != nil, let moved, try !insert(moved, passwordHash: nil, tenant: tenant, connection) {
                ticket = nil
            }
            if let ticket {
                try Self.put(ticket, connection)
                if let joined, !joined.authenticators.isEmpty, try connection.exists(Self.isBare(ticket)) {
                    try append(Self.replace(authenticatorsOf: joined, tenant: tenant, connection), connection)
                }
                try insert(mail, connection)
            }
            if let event = event(ticket != nil) { try append(event, connection) }
        }
    }

    /// Finds the ticket's user without a password.
    private static func isBare(_ ticket: PasswordTicket) -> Statement {
        #"SELECT 1 FROM "user" WHERE tenant = \#(ticket.tenant) AND id = \#(ticket.user) AND password_hash IS NULL"#
    }

    /// Stores a ticket in place of the user's earlier one.
    static func put(_ ticket: PasswordTicket, _ connection: any Connection) throws {
        try connection.execute(
            """
            INSERT INTO password_ticket (hash, tenant, "user", email, created_at, expires_at, proves_email, result_url,
                client)
            VALUES (\(ticket.hash), \(ticket.tenant), \(ticket.user), \(ticket.email?.description), \(ticket.createdAt),
                \(ticket.expiresAt), \(ticket.provesEmail), \(ticket.resultURL), \(ticket.client))
            ON CONFLICT (tenant, "user") DO UPDATE SET hash = excluded.hash, email = excluded.email,
                created_at = excluded.created_at, expires_at = excluded.expires_at,
                proves_email = excluded.proves_email, result_url = excluded.result_url, client = excluded.client
            """)
    }

    /// Condition for a valid ticket: the user's address has not changed since.
    private static func isGood(_ hash: [UInt8], tenant: TenantID, now: Timestamp) -> SQLFragment {
        """
        hash = \(hash) AND tenant = \(tenant) AND expires_at > \(now) AND coalesce(email, '') = coalesce((
            SELECT "user".email FROM "user"
            WHERE "user".tenant = password_ticket.tenant AND "user".id = password_ticket."user"), '')
        """
    }

    package func passwordTicket(_ hash: [UInt8], tenant: TenantID, now: Timestamp) async throws -> PasswordTicket? {
        try await database.first(
            """
            SELECT "user", email, created_at, expires_at, proves_email, result_url, client FROM password_ticket
            WHERE \(Self.isGood(hash, tenant: tenant, now: now))
            """
        ) { row in
            PasswordTicket(
                hash: hash, tenant: tenant, user: try row.id(0),
                email: try row.optionalText(1).flatMap(EmailAddress.init(parsing:)),
                createdAt: try row.timestamp(2), expiresAt: try row.timestamp(3), provesEmail: try row.bool(4),
                resultURL: try row.optionalText(5), client: try row.optionalID(6))
        }
    }

    package func setPassword(
        _ hash: String, ticket: [UInt8], forgiving key: AttemptKey?, tenant: TenantID, now: Timestamp,
        event: AuditEvent, notice: @escaping @Sendable (RemovedAccess) throws -> SealedMail?
    ) async throws -> Bool {
        let owner: Statement = #"SELECT "user" FROM password_ticket WHERE hash = \#(ticket) AND tenant = \#(tenant)"#
        return try await database.write { connection in
            guard let user = try connection.first(owner, { try $0.id(0, of: User.self) }) else { return false }
            // The address may not change between the comparison and its confirmation.
            try connection.lock(user, in: tenant)
            let used = try connection.first(
                """
                DELETE FROM password_ticket WHERE \(Self.isGood(ticket, tenant: tenant, now: now))
                RETURNING proves_email
                """
            ) { try $0.bool(0) }
            guard let provesEmail = used else { return false }
            if provesEmail, try Self.user(user, tenant: tenant, connection)?.emailVerified == false {
                let removed = try removeUnprovenAccess(of: user, tenant: tenant, event, connection)
                if let mail = try removed.isEmpty ? nil : notice(removed) { try insert(mail, connection) }
            }
            try connection.execute(
                """
                UPDATE "user" SET password_hash = \(hash), updated_at = \(now),
                    email_verified = CASE WHEN email IS NULL OR \(provesEmail) = 0 THEN email_verified ELSE 1 END,
                    email_verified_at = CASE WHEN email IS NULL OR \(provesEmail) = 0 THEN email_verified_at ELSE \(now) END,
                    email_bounced_at = CASE WHEN \(provesEmail) = 0 THEN email_bounced_at END,
                    email_bounce = CASE WHEN \(provesEmail) = 0 THEN email_bounce END
                WHERE tenant = \(tenant) AND id = \(user)
                """)
            try Self.describe(user, tenant: tenant, connection)
            try Self.noteNewPassword(of: user, tenant: tenant, at: now, connection)
            try endAccess(of: user, tenant: tenant, now: now, connection)
            if let key { _ = try Self.forgetFailures(key, tenant: tenant, connection) }
            try append(event, connection)
            return true
        }
    }

    /// Removes and logs access from before the address was confirmed, which a stranger may have added: devices enrolled
    /// at a login, passkeys of the account page, authenticator apps that no administrator gave, and identities.
    private func removeUnprovenAccess(
        of user: UserID, tenant: TenantID, _ event: AuditEvent, _ connection: any Connection
    ) throws -> RemovedAccess {
        let theirs: SQLFragment = #"tenant = \#(tenant) AND "user" = \#(user)"#
        let devices = try Self.removeDevices(
            where: #""user" = \#(user) AND enrolled_at_login = 1"#, tenant: tenant, now: event.at, connection
        ).map { RemovedAccess.Device(id: $0.id, name: $0.name) }
        let passkeys = try connection.query(
            "DELETE FROM passkey WHERE \(theirs) AND device IS NULL RETURNING id, name"
        ) { (id: try $0.blob(0), name: try $0.text(1)) }
        let apps = try connection.query(
            "DELETE FROM authenticator WHERE \(theirs) AND of_administrator = 0 RETURNING id, name"
        ) { (id: try $0.id(0, of: Authenticator.self), name: try $0.optionalText(1)) }
        if !apps.isEmpty { try Self.voidFactors(of: user, tenant: tenant, now: event.at, connection) }
        try Self.deleteRecoveryCodes(of: user, tenant: tenant, connection)
        let identities = try connection.query(
            "DELETE FROM identity WHERE \(theirs) RETURNING provider, provider_id"
        ) { UpstreamIdentity(provider: try $0.text(0), id: try $0.text(1)) }
        func note(_ kind: AuditEvent.Kind, device: DeviceID? = nil, _ details: JSONObject) throws {
            var details = details
            details["reason"] = "the e-mail address was not proven when it was added"
            try append(event.beside(kind, user: user, device: device, details: details), connection)
        }
        for device in devices { try note(.unenrolled, device: device.id, ["name": .string(device.name)]) }
        for passkey in passkeys {
            try note(.passkeyRemoved, ["credential_id": .string(Base64URL.encode(passkey.id))])
        }
        for app in apps { try note(.unenrolled, ["authenticator": .string(app.id.rawValue)]) }
        for identity in identities {
            try note(.identityUnlinked, ["connection": .string(identity.provider), "id": .string(identity.id)])
        }
        return RemovedAccess(
            devices: devices, passkeys: passkeys.map(\.name), authenticators: apps.map(\.name), identities: identities)
    }

    private static let replaceHash = StaticStatement(
        #"UPDATE "user" SET password_hash = $4 WHERE tenant = $1 AND id = $2 AND password_hash = $3"#)

    package func replacePasswordHash(
        of user: UserID, _ old: String, by new: String, tenant: TenantID
    ) async throws -> Bool {
        try await database.execute(Self.replaceHash(tenant, user, old, new)) == 1
    }

    // MARK: failed attempts

    /// A count that began at or before `$4`, the start of the window, begins again.
    private static let countFailure = StaticStatement(
        """
        INSERT INTO password_failure (tenant, key, count, began_at, forgotten_at, account, address)
        VALUES ($1, $2, 1, $3, $5, $6, $7)
        ON CONFLICT (tenant, key) DO UPDATE SET account = excluded.account, address = excluded.address,
            count = CASE WHEN password_failure.began_at > $4 THEN password_failure.count + 1 ELSE 1 END,
            began_at = CASE WHEN password_failure.began_at > $4 THEN password_failure.began_at ELSE $3 END,
            forgotten_at = CASE WHEN password_failure.began_at > $4 THEN password_failure.forgotten_at ELSE $5 END
        RETURNING count
        """)

    package func countFailure(
        _ limits: [AttemptLimit], tenant: TenantID, now: Timestamp, windowStart: Timestamp, event: AuditEvent?
    ) async throws -> [Int] {
        try await database.write { connection in
            let counts = try Self.count(limits, tenant: tenant, now: now, windowStart: windowStart, connection)
            if let event { try append(event, connection) }
            return counts
        }
    }

    private static let takeBack = StaticStatement(
        """
        UPDATE password_failure SET count = count - 1
        WHERE tenant = $1 AND key = $2 AND began_at > $3 AND count > 0
        """)

    package func takeBackFailure(_ keys: [AttemptKey], tenant: TenantID, windowStart: Timestamp) async throws {
        try await database.write { connection in
            for key in keys { try connection.execute(Self.takeBack(tenant, key.hash, windowStart)) }
        }
    }

    /// Counts within a transaction.
    static func count(
        _ limits: [AttemptLimit], tenant: TenantID, now: Timestamp, windowStart: Timestamp,
        _ connection: any Connection
    ) throws -> [Int] {
        let forgotten = now + (now - windowStart)
        var counts: [Int] = []
        for (key, limit) in limits.map({ ($0.key, $0.limit) }) {
            let counted = countFailure(
                tenant, key.hash, now, windowStart, forgotten, key.origin?.account, key.origin?.address)
            let count = try connection.first(counted) { try $0.int(0) }
            guard let count else { throw CorruptRow(what: "INSERT returned nothing") }
            counts.append(count)
            if count > limit { break }
        }
        return counts
    }

    private static let findFailures = StaticStatement(
        "SELECT count, began_at FROM password_failure WHERE tenant = $1 AND key = $2 AND began_at > $3")

    package func failures(
        _ keys: [AttemptKey], tenant: TenantID, windowStart: Timestamp
    ) async throws -> [FailedAttempts] {
        try await database.read { connection in
            try keys.map { key in
                try connection.first(Self.findFailures(tenant, key.hash, windowStart)) { row in
                    FailedAttempts(count: try row.int(0), beganAt: try row.timestamp(1))
                } ?? FailedAttempts(count: 0, beganAt: nil)
            }
        }
    }

    package func clearFailures(_ key: AttemptKey, tenant: TenantID) async throws {
        try await database.write { _ = try Self.forgetFailures(key, tenant: tenant, $0) }
    }

    /// Holds the counts of networks before the total, as attempts count them.
    static func forgetFailures(_ key: AttemptKey, tenant: TenantID, _ connection: any Connection) throws -> Int {
        let counts: SQLFragment = "tenant = \(tenant) AND (key = \(key.hash) OR account = \(key.hash))"
        try connection.hold("password_failure", by: "account IS NULL, sequence", where: counts)
        return try connection.execute("DELETE FROM password_failure WHERE \(counts)")
    }
}
