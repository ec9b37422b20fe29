import Audit
package import AuthorizationCore
package import Flows
import Primitives
import SQL

extension Store: OneTimePasswordStore {
    package func oneTimePasswords(of user: UserID, tenant: TenantID) async throws -> [KeptOneTimePassword] {
        try await database.query(
            """
            SELECT d.id AS id, o.sealed_secret, 1 AS is_device, d.enrolled_at AS since
            FROM device d JOIN one_time_password o ON o.device = d.id
            WHERE d.tenant = \(tenant) AND d."user" = \(user)
            UNION ALL SELECT id, sealed_secret, 0, created_at FROM authenticator
            WHERE tenant = \(tenant) AND "user" = \(user) ORDER BY is_device DESC, since, id
            """
        ) {
            KeptOneTimePassword(
                try $0.bool(2) ? .device($0.id(0)) : .authenticator($0.id(0)), sealedSecret: try $0.blob(1))
        }
    }

    package func useOneTimePassword(
        _ holder: KeptOneTimePassword.Holder, step: Int64, tenant: TenantID
    ) async throws -> Bool {
        let used: Statement =
            switch holder {
            case .device(let id):
                """
                UPDATE one_time_password SET last_step = \(step)
                WHERE device = \(id) AND tenant = \(tenant) AND last_step < \(step)
                """
            case .authenticator(let id):
                """
                UPDATE authenticator SET last_step = \(step)
                WHERE tenant = \(tenant) AND id = \(id) AND last_step < \(step)
                """
            }
        return try await database.execute(used) == 1
    }

    static func authenticators(
        of user: UserID, tenant: TenantID, _ connection: any Connection
    ) throws -> [Authenticator] {
        try connection.query(
            """
            SELECT id, "user", name, created_at, of_administrator FROM authenticator
            WHERE tenant = \(tenant) AND "user" = \(user) ORDER BY created_at, id
            """
        ) {
            Authenticator(
                id: try $0.id(0), user: try $0.id(1), name: try $0.optionalText(2), createdAt: try $0.timestamp(3),
                isOfAdministrator: try $0.bool(4))
        }
    }

    static func insert(_ new: NewAuthenticator, tenant: TenantID, _ connection: any Connection) throws {
        let authenticator = new.authenticator
        try connection.execute(
            """
            INSERT INTO authenticator (tenant, id, "user", name, sealed_secret, last_step, created_at, of_administrator)
            VALUES (\(tenant), \(authenticator.id), \(authenticator.user), \(authenticator.name), \(new.sealedSecret),
                -1, \(authenticator.createdAt), \(authenticator.isOfAdministrator))
            """)
    }

    /// Keeps what the old server says of a person's authenticator apps now, in place of what it or an import said before
    /// (``add(authenticatorsOf:tenant:_:)``). Changes nothing for a person with a phone, or an app by an administrator.
    /// Needs the user's lock.
    static func replace(authenticatorsOf moved: MovedUser, tenant: TenantID, _ connection: any Connection) throws
        -> AuditEvent
    {
        guard !moved.authenticators.isEmpty else { return moved.event }
        let theirs: SQLFragment = #"tenant = \#(tenant) AND "user" = \#(moved.user.id)"#
        let hasOwn =
            try connection.exists("SELECT 1 FROM device WHERE \(theirs)")
            || connection.exists("SELECT 1 FROM authenticator WHERE \(theirs) AND of_administrator = 1")
        if hasOwn { return moved.event }
        try connection.execute("DELETE FROM authenticator WHERE \(theirs)")
        return try add(authenticatorsOf: moved, tenant: tenant, connection)
    }

    /// Adds a person's authenticator apps, and counts them in the entry that it returns. Needs the user's
    /// lock, unless the same transaction adds the person.
    static func add(authenticatorsOf moved: MovedUser, tenant: TenantID, _ connection: any Connection) throws
        -> AuditEvent
    {
        var event = moved.event
        guard !moved.authenticators.isEmpty else { return event }
        for new in moved.authenticators { try insert(new, tenant: tenant, connection) }
        event.details["authenticators"] = .number(JSONNumber(moved.authenticators.count))
        return event
    }

    /// Deletes an authenticator, and voids the second factors that the user gave before. False if the user has none of that id.
    static func remove(
        authenticator id: AuthenticatorID, of user: UserID, tenant: TenantID, now: Timestamp,
        _ connection: any Connection
    ) throws -> Bool {
        let removed = try connection.execute(
            #"DELETE FROM authenticator WHERE tenant = \#(tenant) AND id = \#(id) AND "user" = \#(user)"#)
        guard removed > 0 else { return false }
        try voidFactors(of: user, tenant: tenant, now: now, connection)
        return true
    }

    /// True if the user has something whose place a recovery code can take.
    static func hasPhoneOrApp(_ user: UserID, tenant: TenantID, _ connection: any Connection) throws -> Bool {
        let theirs: SQLFragment = #"tenant = \#(tenant) AND "user" = \#(user)"#
        return try connection.exists("SELECT 1 FROM device WHERE \(theirs)")
            || connection.exists("SELECT 1 FROM authenticator WHERE \(theirs)")
    }
}
