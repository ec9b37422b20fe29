import AuthorizationCore
import Primitives
import SQL

/// User columns for search and administration, outside the user's own row. A change of that row, a link and a login
/// update them in the same transaction.
extension Store {
    private static let putProfile = StaticStatement(
        """
        INSERT INTO user_profile (tenant, "user", connection, provider, provider_id, email, email_domain, name,
            given_name, family_name, nickname, username, phone_number, email_verified, phone_verified, blocked,
            created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
        ON CONFLICT (tenant, "user") DO UPDATE SET email = excluded.email, email_domain = excluded.email_domain,
            name = excluded.name, given_name = excluded.given_name, family_name = excluded.family_name,
            nickname = excluded.nickname, username = excluded.username, phone_number = excluded.phone_number,
            email_verified = excluded.email_verified, phone_verified = excluded.phone_verified,
            blocked = excluded.blocked, updated_at = excluded.updated_at
        """)

    /// Updates the profile of a user.
    static func describe(_ id: UserID, tenant: TenantID, _ connection: any Connection) throws {
        guard let user = try user(id, tenant: tenant, connection) else { return }
        let identity = UserIdentity(of: user)
        try connection.execute(
            putProfile(
                tenant, id, identity.connection, identity.provider, identity.userID, user.email?.description,
                user.email?.domain, user.name?.lowercased(), user.givenName?.lowercased(),
                user.familyName?.lowercased(), user.nickname?.lowercased(), user.username, user.phoneNumber,
                user.emailVerified, user.phoneVerified, user.blocked, user.createdAt, user.updatedAt))
    }

    private static let countLogin = StaticStatement(
        """
        UPDATE user_profile SET last_login = $3, last_ip = coalesce($4, last_ip), logins_count = logins_count + 1
        WHERE tenant = $1 AND "user" = $2
        """)

    static func noteLogin(
        _ authentication: Authentication, tenant: TenantID, from address: String?, _ connection: any Connection
    ) throws {
        try connection.execute(countLogin(tenant, authentication.user, authentication.at, address))
    }

    static func noteNewPassword(
        of user: UserID, tenant: TenantID, at now: Timestamp, _ connection: any Connection
    ) throws {
        try connection.execute(
            #"UPDATE user_profile SET last_password_reset = \#(now) WHERE tenant = \#(tenant) AND "user" = \#(user)"#)
    }

    static func owner(ofUsername username: String, tenant: TenantID, _ connection: any Connection) throws -> UserID? {
        try connection.first(
            """
            SELECT id FROM "user" WHERE tenant = \(tenant) AND connection = \(LoginConnection.defaultDatabaseName)
                AND username = \(username)
            """
        ) { try $0.id(0) }
    }

    // MARK: metadata

    /// Empty for an unknown user.
    static func metadata(of user: UserID, tenant: TenantID, _ connection: any Connection) throws -> UserMetadata {
        try connection.first(
            #"SELECT user_metadata, app_metadata FROM user_profile WHERE tenant = \#(tenant) AND "user" = \#(user)"#
        ) { try UserMetadata($0, at: 0) } ?? UserMetadata()
    }

    private static let insertAttribute = StaticStatement(
        "INSERT INTO user_attribute (profile, tenant, path, text, number) VALUES ($1, $2, $3, $4, $5)")

    /// Changes nothing for an unknown user.
    static func put(_ metadata: UserMetadata, of user: UserID, tenant: TenantID, _ connection: any Connection) throws {
        let profile = try connection.first(
            """
            UPDATE user_profile SET user_metadata = \(stored(metadata.user)), app_metadata = \(stored(metadata.app))
            WHERE tenant = \(tenant) AND "user" = \(user) RETURNING sequence
            """
        ) { try $0.int64(0) }
        guard let profile else { return }
        try connection.execute("DELETE FROM user_attribute WHERE profile = \(profile)")
        for attribute in metadata.attributes {
            switch attribute.value {
            case .text(let text):
                try connection.execute(insertAttribute(profile, tenant, attribute.path, text, Double?.none))
            case .number(let number):
                try connection.execute(insertAttribute(profile, tenant, attribute.path, String?.none, number))
            }
        }
    }

    private static func stored(_ object: JSONObject) -> String {
        object.isEmpty ? "" : JSONWriter.string(.object(object))
    }
}

extension UserMetadata {
    /// `first` is the column of `user_metadata`; `app_metadata` follows.
    init(_ row: borrowing Row, at first: Int) throws {
        func object(_ text: String) throws -> JSONObject {
            if text.isEmpty { return [:] }
            guard let object = try JSONValue(stored: text).objectValue else { throw CorruptRow(what: "metadata") }
            return object
        }
        self.init(user: try object(try row.text(first)), app: try object(try row.text(first + 1)))
    }
}
