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
            ended_at \(dialect.integer) NOT NULL,
            attempts \(dialect.integer) NOT NULL,
            due_at \(dialect.integer) NOT NULL
        )\(dialect.strict);
        -- A client's notices in the order in which they are told.
        CREATE INDEX logout_notice_by_client ON logout_notice (tenant, client, due_at, sequence);
        """
    }
}
