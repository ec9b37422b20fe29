package import Audit
package import AuthorizationCore
package import Flows
import Localization
import Primitives
import SQL

extension Store: PasswordStore, SignUpStore, RecoverPasswordStore, UpstreamStore {
    private static let findByEmail = StaticStatement(
        "SELECT", User.columns, #", password_hash, access_endings FROM "user" WHERE tenant = $1 AND email = $2"#,
        "AND connection = 'Username-Password-Authentication'")
    private static let findByUsername = StaticStatement(
        "SELECT", User.columns, #", password_hash, access_endings FROM "user" WHERE tenant = $1 AND username = $2"#,
        "AND connection = 'Username-Password-Authentication'")
    private static let findAccount = StaticStatement(
        "SELECT", User.columns, #", password_hash, access_endings FROM "user" WHERE tenant = $1 AND id = $2"#)

    private static func account(_ statement: Statement, _ connection: any Connection) throws -> Account? {
        try connection.first(statement) {
            Account(
                user: try User($0), passwordHash: try $0.optionalText(User.columnCount),
                accessEndings: try $0.int(User.columnCount + 1))
        }
    }

    static func account(_ user: UserID, tenant: TenantID, _ connection: any Connection) throws -> Account? {
        try account(findAccount(tenant, user), connection)
    }

    static func account(email: EmailAddress, tenant: TenantID, _ connection: any Connection) throws -> Account? {
        try account(findByEmail(tenant, email.description), connection)
    }

    package func account(email: EmailAddress, tenant: TenantID) async throws -> Account? {
        try await database.read { try Self.account(email: email, tenant: tenant, $0) }
    }

    package func account(username: String, tenant: TenantID) async throws -> Account? {
        try await database.read { try Self.account(Self.findByUsername(tenant, username), $0) }
    }

    package func account(_ user: UserID, tenant: TenantID) async throws -> Account? {
        try await database.read { try Self.account(user, tenant: tenant, $0) }
    }

    private static let findEndings = StaticStatement(
        #"SELECT access_endings FROM "user" WHERE tenant = $1 AND id = $2"#)

    package func accessEndings(of user: UserID, tenant: TenantID) async throws -> Int? {
        try await database.first(Self.findEndings(tenant, user)) { try $0.int(0) }
    }

    /// Columns and values of a user, to follow `INSERT INTO "user"`.
    static func values(of user: User, passwordHash: String?, tenant: TenantID) -> SQLFragment {
        """
        (tenant, id, connection, email, email_verified, name, given_name, family_name, nickname, picture,
            phone_number, language, blocked, roles, password_hash, created_at, updated_at, username, phone_verified,
            permissions, email_verified_at)
        VALUES (\(tenant), \(user.id), \(user.connection), \(user.email?.description), \(user.emailVerified), \(user.name),
            \(user.givenName), \(user.familyName), \(user.nickname), \(user.picture), \(user.phoneNumber),
            \(user.language?.rawValue), \(user.blocked), \(user.storedRoles),
            \(passwordHash), \(user.createdAt), \(user.updatedAt), \(user.username), \(user.phoneVerified),
            \(user.storedPermissions), \(user.emailVerified ? user.updatedAt : nil))
        """
    }

    /// Assignments of an upsert, which forget a refusal of the address if the address changes or becomes verified, and
    /// note when it became so.
    static let keptBounce: SQLFragment = {
        let stays: StaticString =
            #"excluded.email IS NOT DISTINCT FROM "user".email AND excluded.email_verified <= "user".email_verified"#
        return """
            email_verified_at = CASE WHEN excluded.email_verified = 0 THEN NULL
                WHEN \(raw: stays.description) THEN "user".email_verified_at ELSE excluded.updated_at END,
            email_bounced_at = CASE WHEN \(raw: stays.description) THEN "user".email_bounced_at END,
            email_bounce = CASE WHEN \(raw: stays.description) THEN "user".email_bounce END
            """
    }()

    /// Keeps a new user of the database. False if the address or the id is taken.
    static func insert(
        _ user: User, passwordHash: String?, tenant: TenantID, _ connection: any Connection
    ) throws -> Bool {
        let values = Self.values(of: user, passwordHash: passwordHash, tenant: tenant)
        guard try connection.execute(#"INSERT INTO "user" \#(values) ON CONFLICT DO NOTHING"#) == 1 else {
            return false
        }
        try describe(user.id, tenant: tenant, connection)
        return true
    }

    package func signUp(
        _ user: User, passwordHash: String, verification: VerificationMail?, tenant: TenantID, events: [AuditEvent]
    ) async throws -> Bool {
        try await allOrNothing { connection in
            guard try Self.insert(user, passwordHash: passwordHash, tenant: tenant, connection) else { return false }
            if let verification {
                try Self.put(
                    verification.ticket, hash: verification.hash, createdAt: verification.createdAt,
                    expiresAt: verification.expiresAt,
                    tenant: tenant, connection)
                try insert(verification.mail, connection)
            }
            for event in events { try append(event, connection) }
            return true
        }
    }

    // MARK: upstream identities

    private static let findIdentity = StaticStatement(
        #"SELECT "user" FROM identity WHERE tenant = $1 AND provider = $2 AND provider_id = $3"#)

    private static func owner(
        of identity: UpstreamIdentity, tenant: TenantID, _ connection: any Connection
    ) throws -> UserID? {
        try connection.first(findIdentity(tenant, identity.provider, identity.id)) { try $0.id(0) }
    }

    /// Adds the identity within a transaction. Returns false if it already has a user.
    @discardableResult
    static func add(
        _ identity: UpstreamIdentity, to user: UserID, tenant: TenantID, _ connection: any Connection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO identity (tenant, provider, provider_id, "user")
            VALUES (\(tenant), \(identity.provider), \(identity.id), \(user))
            ON CONFLICT (tenant, provider, provider_id) DO NOTHING
            """) == 1
    }

    package func account(of identity: UpstreamIdentity, tenant: TenantID) async throws -> Account? {
        try await database.read { connection in
            guard let owner = try Self.owner(of: identity, tenant: tenant, connection) else { return nil }
            return try Self.account(owner, tenant: tenant, connection)
        }
    }

    package func keep(_ user: User, identity: UpstreamIdentity, tenant: TenantID, event: AuditEvent) async throws {
        try await database.write { connection in
            try connection.lock(user.id, in: tenant)
            let owner = try Self.owner(of: identity, tenant: tenant, connection)
            if user.id == identity.userID, owner ?? user.id == user.id {
                let values = Self.values(of: user, passwordHash: nil, tenant: tenant)
                try connection.execute(
                    """
                    INSERT INTO "user" \(values)
                    ON CONFLICT (tenant, id) DO UPDATE SET \(Self.keptBounce), email = excluded.email,
                        email_verified = excluded.email_verified, name = excluded.name,
                        given_name = excluded.given_name, family_name = excluded.family_name,
                        nickname = excluded.nickname, picture = excluded.picture, updated_at = excluded.updated_at
                    """)
                // Somebody linked it to another user since it was looked for. The next run finds that.
                guard try Self.add(identity, to: user.id, tenant: tenant, connection) || owner == user.id else {
                    throw SQLError.conflict
                }
                try Self.describe(user.id, tenant: tenant, connection)
            }
            try append(event, connection)
        }
    }

    package func link(
        _ identity: UpstreamIdentity, to user: UserID, tenant: TenantID, event: AuditEvent
    ) async throws -> Bool {
        try await allOrNothing { connection in
            guard try Self.add(identity, to: user, tenant: tenant, connection) else {
                return try Self.owner(of: identity, tenant: tenant, connection) == user
            }
            try append(event, connection)
            return true
        }
    }
}
