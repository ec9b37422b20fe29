extension Schema {
    /// Codes and refresh tokens, and marks of used and ended ones.
    static let tokens = """
        -- An authorization code. Written by a completed login, marked by its redemption. Deleted by the sweep.
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
            -- End of the row, kept to tell a replay from an unknown code.
            kept_until INTEGER NOT NULL,
            -- MAC over the columns of RowSeal.
            seal BLOB NOT NULL DEFAULT x'',
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX authorization_code_by_user ON authorization_code (tenant, "user");

        -- A refresh token with all its successors (docs/decisions/0010). Written with the first, changed by each
        -- rotation. Deleted by reuse, revocation, the end of the user's access and the sweep.
        CREATE TABLE refresh_token_family (
            sequence INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            \(grantedAccess)
            -- Number of the valid token.
            counter INTEGER NOT NULL,
            rotated_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            idle_expires_at INTEGER,
            -- SHA-256 of the certificate to which a public client's tokens are bound (RFC 8705 clause 4).
            certificate_hash BLOB,
            -- MAC over the columns of RowSeal.
            seal BLOB NOT NULL DEFAULT x'',
            -- JSON added by an operator. Empty without any.
            metadata TEXT NOT NULL DEFAULT '',
            FOREIGN KEY (tenant, "user") REFERENCES "user" (tenant, id) ON DELETE CASCADE
        ) STRICT;
        -- Neither index has a column that rotation changes.
        CREATE INDEX refresh_token_family_by_user ON refresh_token_family (tenant, "user", client);
        CREATE INDEX refresh_token_family_by_authorization ON refresh_token_family (authorization_id);

        -- A refresh token of a user who was deleted or blocked, to tell it from an unknown one. Deleted by the sweep
        -- after the token's end. The user is no foreign key, because it may be deleted.
        CREATE TABLE ended_refresh_token (
            hash BLOB NOT NULL PRIMARY KEY,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            client TEXT NOT NULL,
            "user" TEXT NOT NULL,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- An authorization whose unexpired access tokens are inactive. Deleted by the sweep.
        CREATE TABLE revoked_authorization (
            id TEXT NOT NULL PRIMARY KEY,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- A used client assertion (RFC 7523) or proof of a device (RFC 9449), kept while it would be valid. There may be
        -- as many rows as polls in five minutes, so the sweep has an index.
        CREATE TABLE used_token (
            hash BLOB NOT NULL PRIMARY KEY,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            expires_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX used_token_by_end ON used_token (expires_at);
        """

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
            -- Id and digest of the approved request, with a blank between. Null without one.
            approval TEXT,
        """
}
