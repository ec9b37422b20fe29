import AuthorizationCore
import Primitives
import SQL

extension Schema {
    /// What search reads of users, in tables of its own: the user's row is read by every request, so it stays small.
    static func search(_ connection: any Connection) throws {
        let dialect = connection.dialect
        try connection.script(
            """
            ALTER TABLE "user" ADD COLUMN username TEXT;
            ALTER TABLE "user" ADD COLUMN phone_verified \(dialect.integer) NOT NULL DEFAULT 0;
            ALTER TABLE "user" ADD COLUMN permissions TEXT NOT NULL DEFAULT '';
            CREATE UNIQUE INDEX user_by_username ON "user" (tenant, connection, username) WHERE username IS NOT NULL;
            \(profiles(dialect))
            \(attributes(dialect))
            CREATE INDEX identity_by_provider_id ON identity (tenant, provider_id);
            \(dialect.plannedFor(statistics))
            """)
        try describeUsers(connection)
    }

    /// Columns by which users are found and sorted. What they were made of is in the user's row; what is compared
    /// without regard to case is in lower case here.
    private static let searched = [
        "connection", "provider", "provider_id", "email", "email_domain", "name", "given_name", "family_name",
        "nickname", "username", "phone_number", "email_verified", "phone_verified", "blocked", "created_at",
        "updated_at", "last_login", "last_ip", "logins_count",
    ]

    private static func profiles(_ dialect: Dialect) -> String {
        let text = dialect.textInByteOrder
        let indexes = searched.map { "CREATE INDEX user_profile_by_\($0) ON user_profile (tenant, \($0));" }
        return """
            CREATE TABLE user_profile (
                sequence \(dialect.rowKey),
                tenant TEXT NOT NULL,
                "user" \(text) NOT NULL,
                connection \(text) NOT NULL,
                provider \(text) NOT NULL,
                provider_id \(text) NOT NULL,
                email \(text),
                email_domain \(text),
                name \(text),
                given_name \(text),
                family_name \(text),
                nickname \(text),
                username \(text),
                phone_number \(text),
                email_verified \(dialect.integer) NOT NULL,
                phone_verified \(dialect.integer) NOT NULL,
                blocked \(dialect.integer) NOT NULL,
                created_at \(dialect.integer) NOT NULL,
                updated_at \(dialect.integer) NOT NULL,
                last_login \(dialect.integer),
                last_ip \(text),
                logins_count \(dialect.integer) NOT NULL DEFAULT 0,
                last_password_reset \(dialect.integer),
                -- JSON, empty where there is none.
                user_metadata TEXT NOT NULL DEFAULT '',
                app_metadata TEXT NOT NULL DEFAULT '',
                FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
            )\(dialect.strict);
            CREATE UNIQUE INDEX user_profile_by_user ON user_profile (tenant, "user");
            -- All users of a tenant in the order they came.
            CREATE INDEX user_profile_by_tenant ON user_profile (tenant);
            \(indexes.joined(separator: "\n"))
            """
    }

    /// One row for each value in a user's metadata.
    private static func attributes(_ dialect: Dialect) -> String {
        """
        CREATE TABLE user_attribute (
            id \(dialect.rowKey),
            profile \(dialect.integer) NOT NULL REFERENCES user_profile (sequence) ON DELETE CASCADE,
            tenant TEXT NOT NULL,
            path \(dialect.textInByteOrder) NOT NULL,
            -- One of the two.
            text \(dialect.textInByteOrder),
            number \(dialect.real)
        )\(dialect.strict);
        CREATE INDEX user_attribute_by_profile ON user_attribute (profile);
        CREATE INDEX user_attribute_by_value ON user_attribute (tenant, path, text, number, profile);
        -- For terms without a field, which look for the applications' own values wherever they are.
        CREATE INDEX user_attribute_by_text ON user_attribute (tenant, text, profile)
            WHERE path >= 'app_metadata.' AND path < 'app_metadata/';
        """
    }

    /// How many rows of a large installation, and of its largest tenant, share the beginning of each index: without it
    /// a planner takes the tenant to be as selective as anything else.
    private static var statistics: [(table: String, index: String, rows: [Int])] {
        let all = 100_000_000
        let users = 1_000_000
        let shared = [
            "connection": 500_000, "provider": 500_000, "email_domain": 1000, "given_name": 500, "family_name": 100,
            "name": 5, "email_verified": 500_000, "phone_verified": 500_000, "blocked": 500_000, "last_ip": 10,
            "logins_count": 10_000,
        ]
        let columns = searched.map { column in
            ("user_profile", "user_profile_by_\(column)", [all, users, shared[column] ?? 2])
        }
        return columns + [
            ("user_profile", "user_profile_by_user", [all, users, 1]),
            ("user_profile", "user_profile_by_tenant", [all, users]),
            ("user_attribute", "user_attribute_by_profile", [5 * all, 5]),
            ("user_attribute", "user_attribute_by_value", [5 * all, 5 * users, users, 100, 100, 1]),
            ("user_attribute", "user_attribute_by_text", [2 * all, 2 * users, 100, 1]),
            // Its primary key's index has the table's name.
            ("identity", "identity", [all / 5, users / 5, users / 20, 1]),
            ("identity", "identity_by_user", [all / 5, users / 5, 1]),
            ("identity", "identity_by_provider_id", [all / 5, users / 5, 1]),
        ]
    }

    /// Users from before. Later code knows other columns, so this step has statements of its own.
    private static func describeUsers(_ connection: any Connection) throws {
        let found: Statement = """
            SELECT tenant, id, connection, email, name, given_name, family_name, nickname, phone_number,
                email_verified, blocked, created_at, updated_at
            FROM "user"
            """
        try connection.run(found) { row in
            let user = User(id: try row.id(1), createdAt: try row.timestamp(11))
            let identity = UserIdentity(of: user)
            let email = try row.optionalText(3)?.lowercased()
            try connection.execute(
                """
                INSERT INTO user_profile (tenant, "user", connection, provider, provider_id, email, email_domain, name,
                    given_name, family_name, nickname, phone_number, email_verified, phone_verified, blocked,
                    created_at, updated_at)
                VALUES (\(try row.text(0)), \(user.id), \(try row.text(2)), \(identity.provider), \(identity.userID),
                    \(email), \(email.flatMap(User.domain(ofEmail:))), \(try row.optionalText(4)?.lowercased()),
                    \(try row.optionalText(5)?.lowercased()), \(try row.optionalText(6)?.lowercased()),
                    \(try row.optionalText(7)?.lowercased()), \(try row.optionalText(8)), \(try row.bool(9)), 0,
                    \(try row.bool(10)), \(user.createdAt), \(try row.timestamp(12)))
                """)
            return true
        }
    }
}
