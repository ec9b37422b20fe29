import SQL

extension Schema {
    /// Confidential clients may ask for a code without PKCE. SQLite cannot take NOT NULL from a column.
    static func codesWithoutProofKey(_ dialect: Dialect) -> String {
        """
        ALTER TABLE authorization_code RENAME COLUMN code_challenge TO required_challenge;
        -- Null where the authorization request had none.
        ALTER TABLE authorization_code ADD COLUMN code_challenge TEXT;
        UPDATE authorization_code SET code_challenge = required_challenge;
        ALTER TABLE authorization_code DROP COLUMN required_challenge;
        """
    }
}
