import SQL

extension Schema {
    static func sessions(_ dialect: Dialect) -> String {
        """
        ALTER TABLE session ADD COLUMN auth_time_known \(dialect.integer) NOT NULL DEFAULT 1;
        -- Other providers were not asked when that was.
        UPDATE session SET auth_time_known = 0 WHERE ' ' || methods || ' ' LIKE '% fed %';
        """
    }
}
