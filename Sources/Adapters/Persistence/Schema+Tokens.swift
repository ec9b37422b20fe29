extension Schema {
    /// Codes and refresh tokens, and the marks by which used and ended ones are known.
    static let tokens = """
        -- An authorization code. Written when a login completes, marked when it is redeemed; deleted by the sweep.
        CREATE TABLE authorization_code (
            sequence INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            \(grantedAccess)
            redirect_uri TEXT,
            -- PKCE (RFC 7636). Null if the authorization request had none.
            code_challenge TEXT,
            nonce TEXT,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            redeemed INTEGER NOT NULL,
            -- The row stays until here, so that a replay is told from an unknown code.
            kept_until INTEGER NOT NULL,
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX authorization_code_by_user ON authorization_code (tenant, "user");

        -- A refresh token with all its successors (docs/decisions/0010). Written with the first, changed by each rotation;
        -- deleted by reuse, revocation, whatever ends the user's access, and the sweep.
        CREATE TABLE refresh_token_family (
            sequence INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            \(grantedAccess)
            -- Number of the token that is valid now.
            counter INTEGER NOT NULL,
            rotated_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            idle_expires_at INTEGER,
            -- SHA-256 of the certificate that a public client's tokens are bound to (RFC 8705 clause 4).
            certificate_hash BLOB,
            -- JSON that an operator added. Empty if there is none.
            metadata TEXT NOT NULL DEFAULT '',
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT;
        -- Neither index has a column that a rotation changes.
        CREATE INDEX refresh_token_family_by_user ON refresh_token_family (tenant, "user", client);
        CREATE INDEX refresh_token_family_by_authorization ON refresh_token_family (authorization_id);

        -- A refresh token of a user who was deleted or blocked, to tell it from one that never was. Deleted by the sweep
        -- when the token would have ended. The user is no foreign key: it may be gone.
        CREATE TABLE ended_refresh_token (
            hash BLOB NOT NULL PRIMARY KEY,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            client TEXT NOT NULL,
            "user" TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- An authorization whose access tokens are no longer active, though they did not expire. Deleted by the sweep.
        CREATE TABLE revoked_authorization (
            id TEXT NOT NULL PRIMARY KEY,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- A client assertion that was used (RFC 7523), for as long as it would be valid. There may be as many rows as
        -- there are polls in five minutes, so the sweep has an index.
        CREATE TABLE client_assertion (
            hash BLOB NOT NULL PRIMARY KEY,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX client_assertion_by_end ON client_assertion (expires_at);
        """

    /// The columns of `GrantedAccess`.
    private static let grantedAccess = """
        -- GrantedAccess: shared by the tokens of one authorization.
            authorization_id TEXT NOT NULL,
            tenant TEXT NOT NULL,
            client TEXT NOT NULL,
            "user" TEXT NOT NULL,
            scope TEXT NOT NULL,
            audience TEXT NOT NULL,
            authorization_details TEXT,
            auth_time INTEGER NOT NULL,
            -- `amr` values, joined by blanks.
            methods TEXT NOT NULL,
            -- `acr`.
            context_class TEXT,
            -- The session's `sid`. Null without one.
            session TEXT,
        """
}
