package import Administration
package import AuthorizationCore
import SQL

extension Store: UserSearchStore {
    private static let findProfile = StaticStatement(
        """
        SELECT last_login, last_ip, logins_count, last_password_reset, user_metadata, app_metadata
        FROM user_profile WHERE tenant = $1 AND "user" = $2
        """)
    private static let findIdentities = StaticStatement(
        #"SELECT provider, provider_id FROM identity WHERE tenant = $1 AND "user" = $2 ORDER BY provider, provider_id"#)

    static func record(of id: UserID, tenant: TenantID, _ connection: any Connection) throws -> UserRecord? {
        guard let user = try user(id, tenant: tenant, connection) else { return nil }
        let profile = try connection.first(findProfile(tenant, id)) { row in
            (activity: try UserActivity(row), metadata: try UserMetadata(row, at: 4))
        }
        guard let profile else { throw CorruptRow(what: "a user without a profile") }
        let own = UserIdentity(of: user)
        let linked = try connection.query(findIdentities(tenant, id)) { row in
            UserIdentity(provider: try row.text(0), userID: try row.text(1))
        }
        return UserRecord(
            user: user, metadata: profile.metadata, activity: profile.activity,
            identities: [own] + linked.filter { $0 != own })
    }

    package func record(of user: UserID, tenant: TenantID) async throws -> UserRecord? {
        try await database.read { try Self.record(of: user, tenant: tenant, $0) }
    }

    package func search(
        _ search: UserSearch, tenant: TenantID, within limit: Duration
    ) async throws -> UserSearchResult {
        try await database.scan(within: limit) { connection in
            try UserSelection(search, tenant: tenant, connection).result()
        }
    }
}

extension UserActivity {
    /// Reads the first four columns.
    fileprivate init(_ row: borrowing Row) throws {
        self.init()
        lastLogin = try row.optionalTimestamp(0)
        lastIP = try row.optionalText(1)
        loginsCount = try row.int(2)
        lastPasswordReset = try row.optionalTimestamp(3)
    }
}
