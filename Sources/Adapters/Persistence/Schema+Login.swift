extension Schema {
    /// Browser logins, and their sessions and consents.
    static let login = """
        -- A login in progress (docs/decisions/0011). Written by /authorize and by each step. Deleted by its completion
        -- and, after expiry, by the sweep.
        CREATE TABLE authorization_transaction (
            sequence INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            -- The client that asked for the login, or the page of this server that it leads to. The other is null.
            client TEXT,
            page TEXT,
            -- SHA-256 of the browser's cookie.
            browser_hash BLOB NOT NULL,
            -- JSON: the authorization request, and the user's progress.
            parameters TEXT NOT NULL,
            progress TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            -- Grows with each step: of two concurrent steps, one counts.
            revision INTEGER NOT NULL,
            -- MAC over the columns of RowSeal.
            seal BLOB NOT NULL DEFAULT x''
        ) STRICT;

        -- A pushed authorization request (RFC 9126). Deleted by a completed login and by the sweep.
        CREATE TABLE pushed_request (
            sequence INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            client TEXT NOT NULL,
            parameters TEXT NOT NULL,
            expires_at INTEGER NOT NULL,
            -- MAC over the columns of RowSeal.
            seal BLOB NOT NULL DEFAULT x''
        ) STRICT;

        -- A browser session. Written by a login, used by later ones. Deleted by a logout, the end of the user's access
        -- and the sweep.
        CREATE TABLE session (
            sequence INTEGER PRIMARY KEY,
            -- `sid` of ID tokens and logout tokens.
            id TEXT NOT NULL UNIQUE,
            hash BLOB NOT NULL UNIQUE,
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            auth_time INTEGER NOT NULL,
            -- 0 if another provider authenticated the user without saying when.
            auth_time_known INTEGER NOT NULL DEFAULT 1,
            -- `amr` values, joined by blanks.
            methods TEXT NOT NULL,
            connection TEXT NOT NULL,
            -- The user's access_endings at the login.
            access_endings INTEGER NOT NULL DEFAULT 0,
            -- Time of the last second factor. Null without one.
            second_factor_at INTEGER,
            created_at INTEGER NOT NULL,
            last_used_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            idle_expires_at INTEGER NOT NULL,
            -- The browser and the network of the last login, for the person. Null if unknown.
            user_agent TEXT,
            address TEXT,
            -- MAC over the columns of RowSeal.
            seal BLOB NOT NULL DEFAULT x'',
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX session_by_user ON session (tenant, "user");

        -- A client that got a code in a session. It is notified when the session ends.
        CREATE TABLE session_client (
            session TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
            client TEXT NOT NULL,
            -- Host that the client called, and by which it knows the issuer. Null: the tenant's own.
            host TEXT,
            first_used_at INTEGER NOT NULL,
            PRIMARY KEY (session, client)
        ) STRICT, WITHOUT ROWID;

        -- A user's consent to a client. Written by the consent page. Deleted by the user or an operator.
        CREATE TABLE consent_grant (
            tenant TEXT NOT NULL,
            "user" TEXT NOT NULL,
            client TEXT NOT NULL,
            audience TEXT NOT NULL,
            scope TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            -- MAC over the columns of RowSeal.
            seal BLOB NOT NULL DEFAULT x'',
            PRIMARY KEY (tenant, "user", client, audience),
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        """
}
