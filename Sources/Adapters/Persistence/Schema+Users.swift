import SQL

extension Schema {
    /// What administration of users keeps beside what logins keep.
    static func userAdministration(_ dialect: Dialect) -> String {
        """
        -- JSON, empty where there is none.
        ALTER TABLE refresh_token_family ADD COLUMN metadata TEXT NOT NULL DEFAULT '';
        -- Whether the ticket went to the user's e-mail address, and to nobody else.
        ALTER TABLE password_ticket ADD COLUMN proves_email \(dialect.integer) NOT NULL DEFAULT 1;
        ALTER TABLE password_ticket ADD COLUMN result_url TEXT;
        CREATE TABLE email_ticket (
            sequence \(dialect.rowKey),
            hash \(dialect.blob) NOT NULL UNIQUE,
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            -- The address that it proves: worth nothing when the user has another one.
            email TEXT NOT NULL,
            result_url TEXT,
            created_at \(dialect.integer) NOT NULL,
            expires_at \(dialect.integer) NOT NULL,
            -- Only the last one of a user is good.
            UNIQUE (tenant, "user"),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        )\(dialect.strict);
        CREATE TABLE device_credential (
            tenant TEXT NOT NULL,
            id TEXT NOT NULL,
            "user" TEXT NOT NULL,
            client TEXT,
            device_id TEXT NOT NULL,
            device_name TEXT NOT NULL,
            value TEXT NOT NULL,
            created_at \(dialect.integer) NOT NULL,
            PRIMARY KEY (tenant, id),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        )\(dialect.strictByKey);
        CREATE UNIQUE INDEX device_credential_by_user ON device_credential (tenant, "user", device_id);
        """
    }
}
