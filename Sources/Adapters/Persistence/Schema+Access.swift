import SQL

extension Schema {
    static func endedAccess(_ dialect: Dialect) -> String {
        """
        -- How often all access of the user was ended: what was proven before the last time counts no more.
        ALTER TABLE "user" ADD COLUMN access_endings \(dialect.integer) NOT NULL DEFAULT 0;
        ALTER TABLE session ADD COLUMN access_endings \(dialect.integer) NOT NULL DEFAULT 0;
        -- Of a ticket that a login showed: how often access had been ended when the user proved themselves there.
        ALTER TABLE enrollment_ticket ADD COLUMN access_endings \(dialect.integer);
        -- The user's address when the ticket was made: worth nothing when the user has another one. Of a user who was
        -- changed since, nobody knows which it was.
        ALTER TABLE password_ticket ADD COLUMN email TEXT;
        UPDATE password_ticket SET email = (
            SELECT email FROM "user" WHERE "user".tenant = password_ticket.tenant
                AND "user".id = password_ticket."user" AND "user".updated_at <= password_ticket.created_at);
        """
    }
}
