import SQL

extension Schema {
    static func keyCertificates(_ dialect: Dialect) -> String {
        """
        ALTER TABLE signing_key ADD COLUMN certificate \(dialect.blob);
        ALTER TABLE signing_key ADD COLUMN current_since \(dialect.integer);
        ALTER TABLE signing_key ADD COLUMN current_until \(dialect.integer);
        UPDATE signing_key SET current_since = changed_at WHERE status = 'current';
        UPDATE signing_key SET current_until = changed_at WHERE status = 'previous';
        """
    }
}
