import SQL

extension Schema {
    /// Rows that are swept carry a key that grows, so that a sweep walks them in the order they were written.
    static func logIn(_ dialect: Dialect) -> String {
        """
        \(users(dialect))
        \(authorizations(dialect))
        \(sessionsAndConsents(dialect))
        \(accounts(dialect))
        """
    }

    private static func users(_ dialect: Dialect) -> String {
        """
        ALTER TABLE "user" ADD COLUMN connection TEXT NOT NULL DEFAULT 'Username-Password-Authentication';
        DROP INDEX user_by_email;
        -- What providers say of an address binds nobody: of two of their users who share one, both may log in.
        CREATE UNIQUE INDEX user_by_email ON "user" (tenant, email)
            WHERE connection = 'Username-Password-Authentication' AND email IS NOT NULL;
        CREATE TABLE identity (
            tenant TEXT NOT NULL,
            provider TEXT NOT NULL,
            provider_id TEXT NOT NULL,
            "user" TEXT NOT NULL,
            PRIMARY KEY (tenant, provider, provider_id),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        )\(dialect.strictByKey);
        CREATE INDEX identity_by_user ON identity (tenant, "user");
        """
    }

    /// The columns of `GrantedAccess`.
    private static func access(_ dialect: Dialect) -> String {
        """
        authorization_id TEXT NOT NULL,
            tenant TEXT NOT NULL,
            client TEXT NOT NULL,
            "user" TEXT NOT NULL,
            scope TEXT NOT NULL,
            audience TEXT NOT NULL,
            authorization_details TEXT,
            auth_time \(dialect.integer) NOT NULL,
            methods TEXT NOT NULL,
            context_class TEXT,
            session TEXT,
        """
    }

    private static func authorizations(_ dialect: Dialect) -> String {
        """
        CREATE TABLE authorization_transaction (
            sequence \(dialect.rowKey),
            hash \(dialect.blob) NOT NULL UNIQUE,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            client TEXT NOT NULL,
            browser_hash \(dialect.blob) NOT NULL,
            parameters TEXT NOT NULL,
            progress TEXT NOT NULL,
            created_at \(dialect.integer) NOT NULL,
            expires_at \(dialect.integer) NOT NULL,
            revision \(dialect.integer) NOT NULL
        )\(dialect.strict);
        CREATE TABLE pushed_request (
            sequence \(dialect.rowKey),
            hash \(dialect.blob) NOT NULL UNIQUE,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            client TEXT NOT NULL,
            parameters TEXT NOT NULL,
            expires_at \(dialect.integer) NOT NULL
        )\(dialect.strict);
        CREATE TABLE authorization_code (
            sequence \(dialect.rowKey),
            hash \(dialect.blob) NOT NULL UNIQUE,
            \(access(dialect))
            redirect_uri TEXT,
            code_challenge TEXT NOT NULL,
            nonce TEXT,
            created_at \(dialect.integer) NOT NULL,
            expires_at \(dialect.integer) NOT NULL,
            redeemed \(dialect.integer) NOT NULL,
            -- Until when a replay can be told from a code that never was.
            kept_until \(dialect.integer) NOT NULL,
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        )\(dialect.strict);
        CREATE INDEX authorization_code_by_user ON authorization_code (tenant, "user");
        CREATE TABLE refresh_token_family (
            sequence \(dialect.rowKey),
            hash \(dialect.blob) NOT NULL UNIQUE,
            \(access(dialect))
            counter \(dialect.integer) NOT NULL,
            rotated_at \(dialect.integer) NOT NULL,
            created_at \(dialect.integer) NOT NULL,
            expires_at \(dialect.integer) NOT NULL,
            idle_expires_at \(dialect.integer),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        )\(dialect.strict);
        -- Neither index has a column that a rotation changes.
        CREATE INDEX refresh_token_family_by_user ON refresh_token_family (tenant, "user", client);
        CREATE INDEX refresh_token_family_by_authorization ON refresh_token_family (authorization_id);
        CREATE TABLE revoked_authorization (
            id TEXT NOT NULL PRIMARY KEY,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            expires_at \(dialect.integer) NOT NULL
        )\(dialect.strictByKey);
        """
    }

    private static func sessionsAndConsents(_ dialect: Dialect) -> String {
        """
        CREATE TABLE session (
            sequence \(dialect.rowKey),
            id TEXT NOT NULL UNIQUE,
            hash \(dialect.blob) NOT NULL UNIQUE,
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            auth_time \(dialect.integer) NOT NULL,
            methods TEXT NOT NULL,
            connection TEXT NOT NULL,
            created_at \(dialect.integer) NOT NULL,
            last_used_at \(dialect.integer) NOT NULL,
            expires_at \(dialect.integer) NOT NULL,
            idle_expires_at \(dialect.integer) NOT NULL,
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        )\(dialect.strict);
        CREATE INDEX session_by_user ON session (tenant, "user");
        CREATE TABLE session_client (
            session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
            client TEXT NOT NULL,
            first_used_at \(dialect.integer) NOT NULL,
            PRIMARY KEY (session, client)
        )\(dialect.strictByKey);
        CREATE TABLE consent_grant (
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            client TEXT NOT NULL,
            audience TEXT NOT NULL,
            scope TEXT NOT NULL,
            created_at \(dialect.integer) NOT NULL,
            updated_at \(dialect.integer) NOT NULL,
            PRIMARY KEY (tenant, "user", client, audience),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        )\(dialect.strictByKey);
        """
    }

    private static func accounts(_ dialect: Dialect) -> String {
        """
        CREATE TABLE password_ticket (
            sequence \(dialect.rowKey),
            hash \(dialect.blob) NOT NULL UNIQUE,
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            created_at \(dialect.integer) NOT NULL,
            expires_at \(dialect.integer) NOT NULL,
            -- Only the last one of a user is good.
            UNIQUE (tenant, "user"),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        )\(dialect.strict);
        CREATE TABLE password_failure (
            sequence \(dialect.rowKey),
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            key \(dialect.blob) NOT NULL,
            count \(dialect.integer) NOT NULL,
            began_at \(dialect.integer) NOT NULL,
            forgotten_at \(dialect.integer) NOT NULL,
            UNIQUE (tenant, key)
        )\(dialect.strict);
        -- Keys are never used twice: a worker that delivered a mail must not remove another one.
        CREATE TABLE mail (
            sequence \(dialect.growingKey),
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            sealed \(dialect.blob) NOT NULL,
            attempts \(dialect.integer) NOT NULL,
            due_at \(dialect.integer) NOT NULL,
            created_at \(dialect.integer) NOT NULL,
            expires_at \(dialect.integer) NOT NULL
        )\(dialect.strict);
        CREATE TABLE one_time_password (
            device TEXT NOT NULL PRIMARY KEY REFERENCES device (id) ON DELETE CASCADE,
            tenant TEXT NOT NULL,
            sealed_secret \(dialect.blob) NOT NULL,
            -- Of the last code that was used; -1 before.
            last_step \(dialect.integer) NOT NULL
        )\(dialect.strictByKey);
        """
    }
}
