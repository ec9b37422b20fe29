import SQL

extension Schema {
    /// Tables for user search. Written and deleted with the user.
    static let userSearch = """
        -- A user's profile. Text that is compared without regard to case is in lower case.
        CREATE TABLE user_profile (
            sequence INTEGER PRIMARY KEY,
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            connection TEXT NOT NULL,
            provider TEXT NOT NULL,
            provider_id TEXT NOT NULL,
            email TEXT,
            email_domain TEXT,
            name TEXT,
            given_name TEXT,
            family_name TEXT,
            nickname TEXT,
            username TEXT,
            phone_number TEXT,
            email_verified INTEGER NOT NULL,
            phone_verified INTEGER NOT NULL,
            blocked INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            -- Written by each login.
            last_login INTEGER,
            last_ip TEXT,
            logins_count INTEGER NOT NULL DEFAULT 0,
            last_password_reset INTEGER,
            -- JSON. Empty without any.
            user_metadata TEXT NOT NULL DEFAULT '',
            app_metadata TEXT NOT NULL DEFAULT '',
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT;
        CREATE UNIQUE INDEX user_profile_by_user ON user_profile (tenant, "user");
        -- All users of a tenant in order of creation.
        CREATE INDEX user_profile_by_tenant ON user_profile (tenant);
        \(searched.map { "CREATE INDEX user_profile_by_\($0) ON user_profile (tenant, \($0));" }.joined(separator: "\n"))

        -- A value in a user's metadata.
        CREATE TABLE user_attribute (
            id INTEGER PRIMARY KEY,
            profile INTEGER NOT NULL REFERENCES user_profile (sequence) ON DELETE CASCADE,
            tenant TEXT NOT NULL,
            path TEXT NOT NULL,
            -- One is null.
            text TEXT,
            number REAL
        ) STRICT;
        CREATE INDEX user_attribute_by_profile ON user_attribute (profile);
        """

    /// Indexes of values and paths, which may be long.
    static func attributeIndexes(_ dialect: any Dialect) -> String {
        """
        CREATE INDEX user_attribute_by_value
            ON user_attribute (tenant, \(dialect.indexed("path")), \(dialect.indexed("text")), number, profile);
        -- For terms without a field, which search all values of app_metadata.
        CREATE INDEX user_attribute_by_text ON user_attribute (tenant, \(dialect.indexed("text")), profile)
            WHERE path >= 'app_metadata.' AND path < 'app_metadata/';
        """
    }

    /// Columns of user_profile to find and sort by.
    private static let searched = [
        "connection", "provider", "provider_id", "email", "email_domain", "name", "given_name", "family_name",
        "nickname", "username", "phone_number", "email_verified", "phone_verified", "blocked", "created_at",
        "updated_at", "last_login", "last_ip", "logins_count",
    ]

    /// Fixed statistics for the planner: rows of each index in a large installation, then how many share its first
    /// column, its first two, and so on. Without them SQLite takes the tenant to be as selective as any other column.
    static var statistics: [(table: String, index: String, rows: [Int])] {
        let all = 100_000_000
        // Users of the largest tenant.
        let users = 1_000_000
        let shared = [
            "connection": 500_000, "provider": 500_000, "email_domain": 1000, "given_name": 500, "family_name": 100,
            "name": 5, "email_verified": 500_000, "phone_verified": 500_000, "blocked": 500_000, "last_ip": 10,
            "logins_count": 10_000,
        ]
        let columns = searched.map { ("user_profile", "user_profile_by_\($0)", [all, users, shared[$0] ?? 2]) }
        let others = [
            ("user_profile", "user_profile_by_user", [all, users, 1]),
            ("user_profile", "user_profile_by_tenant", [all, users]),
            ("user_attribute", "user_attribute_by_profile", [5 * all, 5]),
            ("user_attribute", "user_attribute_by_value", [5 * all, 5 * users, users, 100, 100, 1]),
            ("user_attribute", "user_attribute_by_text", [2 * all, 2 * users, 100, 1]),
            // The index of a primary key has the table's name.
            ("identity", "identity", [all / 5, users / 5, users / 20, 1]),
            ("identity", "identity_by_user", [all / 5, users / 5, 1]),
            ("identity", "identity_by_provider_id", [all / 5, users / 5, 1]),
        ]
        return columns + others
    }
}
