import SQL

extension Schema {
    /// Keys tell nothing of what they were made of, so that a block from an address could be neither shown nor lifted.
    static func attemptOrigins(_ dialect: Dialect) -> String {
        """
        -- The key of the same account in all, and the peer's address: null in an account's own count, and in counts
        -- that began before there were these columns and had no attempt since.
        ALTER TABLE password_failure ADD COLUMN account \(dialect.blob);
        ALTER TABLE password_failure ADD COLUMN address TEXT;
        CREATE INDEX password_failure_by_account ON password_failure (tenant, account) WHERE account IS NOT NULL;
        """
    }
}
