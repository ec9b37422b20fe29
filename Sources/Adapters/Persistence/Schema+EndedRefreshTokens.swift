import SQL

extension Schema {
    /// Tells a token whose user was deleted or blocked from one that never was, until it would have ended by itself.
    /// The user is no foreign key, because it may be gone.
    static func endedRefreshTokens(_ dialect: Dialect) -> String {
        """
        CREATE TABLE ended_refresh_token (
            hash \(dialect.blob) NOT NULL PRIMARY KEY,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            client TEXT NOT NULL,
            "user" TEXT NOT NULL,
            expires_at \(dialect.integer) NOT NULL
        )\(dialect.strictByKey);
        """
    }
}
