import SQL

extension Schema {
    static func sessions(_ dialect: Dialect) -> String {
        """
        ALTER TABLE session ADD COLUMN auth_time_known \(dialect.integer) NOT NULL DEFAULT 1;
        -- Other providers were not asked when that was.
        UPDATE session SET auth_time_known = 0 WHERE ' ' || methods || ' ' LIKE '% fed %';
        -- Who is to be told of the end of a session. Keys are never used twice, as with mail.
        CREATE TABLE logout_notice (
            sequence \(dialect.growingKey),
            tenant TEXT NOT NULL REFERENCES tenant (id) ON DELETE CASCADE,
            client TEXT NOT NULL,
            "user" TEXT NOT NULL,
            session TEXT NOT NULL,
            attempts \(dialect.integer) NOT NULL,
            due_at \(dialect.integer) NOT NULL
        )\(dialect.strict);
        """
    }
}
