import SQL

extension Schema {
    static func clientAuthentication(_ dialect: Dialect) -> String {
        """
        -- What is used up, for as long as it would be valid. The index is for the sweep: there may be as many rows as
        -- there are polls in five minutes.
        CREATE TABLE client_assertion (
            hash \(dialect.blob) NOT NULL PRIMARY KEY,
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            expires_at \(dialect.integer) NOT NULL
        )\(dialect.strictByKey);
        CREATE INDEX client_assertion_by_end ON client_assertion (expires_at);
        -- The certificate that the refresh tokens of a public client are bound to (RFC 8705 clause 4).
        ALTER TABLE refresh_token_family ADD COLUMN certificate_hash \(dialect.blob);
        """
    }
}
