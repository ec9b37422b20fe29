import Audit
import AuthorizationCore
import Configuration
import Flows
import Primitives
import SQL

extension StoredConfiguration: UserReader {
    /// Has other changes of the person wait, so that what is read here stays true until it is written.
    ///
    /// A server's table of locks has room for some thousands. A file of `apply` with more users holds their rows instead.
    private func keep(_ user: UserID, in tenant: TenantID) throws {
        guard isChange else { return }
        keptUsers += 1
        if keptUsers <= 2000 { return try connection.lock(user, in: tenant) }
        try connection.hold(#""user""#, by: "id", where: "tenant = \(tenant) AND id = \(user)")
    }

    func user(_ id: UserID, in tenant: TenantID) throws -> (user: User, passwordHash: String?)? {
        try keep(id, in: tenant)
        return try Store.account(id, tenant: tenant, connection).map { ($0.user, $0.passwordHash) }
    }

    func appliedPasswordHash(of user: UserID, in tenant: TenantID) throws -> String? {
        try connection.query(
            #"SELECT applied_password_hash FROM "user" WHERE tenant = \#(tenant) AND id = \#(user)"#
        ) { try $0.optionalText(0) }.first ?? nil
    }

    func user(email: EmailAddress, in tenant: TenantID) throws -> UserID? {
        try Store.account(email: email, tenant: tenant, connection)?.user.id
    }

    func user(username: String, in tenant: TenantID) throws -> UserID? {
        try Store.owner(ofUsername: username, tenant: tenant, connection)
    }

    func metadata(of user: UserID, in tenant: TenantID) throws -> UserMetadata {
        try Store.metadata(of: user, tenant: tenant, connection)
    }

    func members(of role: RoleID, in tenant: TenantID, after: UserID?, skip: Int, limit: Int) throws -> [User] {
        try connection.query(
            """
            SELECT \(raw: User.columns.description) FROM "user"
            WHERE tenant = \(tenant) AND id IN (
                SELECT "user" FROM user_role
                WHERE tenant = \(tenant) AND role = \(role) AND "user" > \(after?.rawValue ?? "")
                ORDER BY "user" LIMIT \(limit) OFFSET \(skip)
            ) ORDER BY id
            """
        ) { try User($0) }
    }

    func memberCount(of role: RoleID, in tenant: TenantID) throws -> Int {
        try connection.first("SELECT count(*) FROM user_role WHERE tenant = \(tenant) AND role = \(role)") {
            try $0.int(0)
        } ?? 0
    }

    func permissionsOfUsers(in tenant: TenantID) throws -> Set<Role.Permission> {
        let stored = try connection.query(
            #"SELECT DISTINCT permissions FROM "user" WHERE tenant = \#(tenant) AND permissions <> ''"#
        ) { try User.permissions(stored: $0.text(0)) }
        return stored.reduce(into: []) { $0.formUnion($1) }
    }

    func record(of user: UserID, in tenant: TenantID) throws -> UserRecord? {
        try keep(user, in: tenant)
        return try Store.record(of: user, tenant: tenant, connection)
    }

    func users(email: EmailAddress, in tenant: TenantID) throws -> [UserID] {
        try connection.query(
            #"SELECT "user" FROM user_profile WHERE tenant = \#(tenant) AND email = \#(email.description) ORDER BY "user""#
        ) { try $0.id(0) }
    }

    func users(identifier: String, in tenant: TenantID) throws -> [UserID] {
        try connection.query(
            """
            SELECT "user" FROM user_profile WHERE tenant = \(tenant)
                AND (email = \(identifier) OR username = \(identifier) OR phone_number = \(identifier))
            ORDER BY "user"
            """
        ) { try $0.id(0) }
    }

    func attempts(at account: AttemptKey, in tenant: TenantID, since windowStart: Timestamp) throws -> [AttemptCount] {
        try connection.query(
            """
            SELECT address, count FROM password_failure
            WHERE tenant = \(tenant) AND (key = \(account.hash) OR account = \(account.hash))
                AND began_at > \(windowStart)
            ORDER BY sequence
            """
        ) { AttemptCount(address: try $0.optionalText(0), count: try $0.int(1)) }
    }
}

extension StoredConfiguration: UserTransaction {
    func record(_ event: AuditEvent) throws { try store.append(event, connection) }

    func put(_ user: User, passwordHash: String?, in tenant: TenantID) throws {
        try keep(user.id, in: tenant)
        let old = try Store.account(user.id, tenant: tenant, connection)
        try connection.execute(
            """
            INSERT INTO "user" \(Store.values(of: user, passwordHash: passwordHash, tenant: tenant))
            ON CONFLICT (tenant, id) DO UPDATE SET \(Store.keptBounce), email = excluded.email, email_verified = excluded.email_verified,
                name = excluded.name, given_name = excluded.given_name, family_name = excluded.family_name,
                nickname = excluded.nickname, picture = excluded.picture, phone_number = excluded.phone_number,
                language = excluded.language, blocked = excluded.blocked, roles = excluded.roles,
                password_hash = excluded.password_hash, updated_at = excluded.updated_at,
                username = excluded.username, phone_verified = excluded.phone_verified,
                permissions = excluded.permissions
            """)
        if let identity = UpstreamIdentity(of: user) {
            try Store.add(identity, to: user.id, tenant: tenant, connection)
        }
        try Store.describe(user.id, tenant: tenant, connection)
        if let old, old.passwordHash != passwordHash {
            try Store.noteNewPassword(of: user.id, tenant: tenant, at: user.updatedAt, connection)
        }
        try putMemberships(user.roles, of: user.id, in: tenant)
        if let old { try endLinks(of: user, over: old.user, in: tenant) }
    }

    func put(appliedPasswordHash hash: String, of user: UserID, in tenant: TenantID) throws {
        try connection.execute(
            #"UPDATE "user" SET applied_password_hash = \#(hash) WHERE tenant = \#(tenant) AND id = \#(user)"#)
    }

    func put(_ metadata: UserMetadata, of user: UserID, in tenant: TenantID) throws {
        try Store.put(metadata, of: user, tenant: tenant, connection)
    }

    func put(roles: [RoleID], of user: UserID, in tenant: TenantID, now: Timestamp) throws {
        guard let old = try self.user(user, in: tenant)?.user else { return }
        try connection.execute(
            """
            UPDATE "user" SET roles = \(roles.map(\.rawValue).joined(separator: " ")), updated_at = \(now)
            WHERE tenant = \(tenant) AND id = \(user)
            """)
        try putMemberships(roles, of: user, in: tenant)
        var new = old
        new.roles = roles
        try endLinks(of: new, over: old, in: tenant)
    }

    private func putMemberships(_ roles: [RoleID], of user: UserID, in tenant: TenantID) throws {
        try connection.execute(#"DELETE FROM user_role WHERE tenant = \#(tenant) AND "user" = \#(user)"#)
        for role in Set(roles) {
            try connection.execute(
                #"INSERT INTO user_role (tenant, role, "user") VALUES (\#(tenant), \#(role), \#(user))"#)
        }
    }

    func keepsDecisions(of user: UserID, in tenant: TenantID, now: Timestamp) throws -> Bool {
        try connection.exists(
            #"SELECT 1 FROM approval WHERE tenant = \#(tenant) AND "user" = \#(user) AND kept_until > \#(now)"#)
    }

    func remove(user: UserID, from tenant: TenantID) throws -> Bool {
        try connection.execute(#"DELETE FROM "user" WHERE tenant = \#(tenant) AND id = \#(user)"#) > 0
    }

    func forgetAttempts(at account: AttemptKey, in tenant: TenantID) throws -> Int {
        try Store.forgetFailures(account, tenant: tenant, connection)
    }

    func endAccess(of user: UserID, in tenant: TenantID, now: Timestamp) throws {
        try store.endAccess(of: user, tenant: tenant, now: now, connection)
    }

    func endUnfinished(of user: UserID, session: SessionID?, in tenant: TenantID) throws {
        guard let session else { return try Store.endUnfinished(of: user, tenant: tenant, connection) }
        try connection.execute(
            """
            DELETE FROM authorization_code
            WHERE tenant = \(tenant) AND "user" = \(user) AND session = \(session) AND redeemed = 0
            """)
    }

    func endTokens(of user: UserID, session: SessionID?, in tenant: TenantID, now: Timestamp) throws {
        var condition: SQLFragment = #"tenant = \#(tenant) AND "user" = \#(user)"#
        if let session { condition = "\(condition) AND session = \(session)" }
        try Store.endAuthorizations(where: condition, now: now, connection)
    }

    func removeTickets(of user: UserID, in tenant: TenantID) throws {
        try removeTickets(where: #"tenant = \#(tenant) AND "user" = \#(user)"#)
    }

    func removeRequests(to user: UserID, in tenant: TenantID) throws -> [[UInt8]] {
        try Store.removeRequests(where: #""user" = \#(user) AND tenant = \#(tenant)"#, connection)
    }

    /// Deletes pending and approved requests. Others give no tokens and stay to be counted. The sweep corrects the
    /// pending count.
    func removeRequests(_ condition: SQLFragment) throws -> [[UInt8]] {
        typealias State = BackchannelRequest.State
        return try Store.removeRequests(
            where: "\(condition) AND state IN (\(State.pending.rawValue), \(State.approved.rawValue))", connection)
    }
}
