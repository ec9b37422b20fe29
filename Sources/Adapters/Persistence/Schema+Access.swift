import SQL

extension Schema {
    static func endedAccess(_ dialect: Dialect) -> String {
        """
        -- How often all access of the user was ended: what was proven before the last time counts no more.
        ALTER TABLE "user" ADD COLUMN access_endings \(dialect.integer) NOT NULL DEFAULT 0;
        ALTER TABLE session ADD COLUMN access_endings \(dialect.integer) NOT NULL DEFAULT 0;
        """
    }
}
