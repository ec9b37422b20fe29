import SQL

extension Schema {
    static func secondFactorOwners(_ dialect: Dialect) -> String {
        """
        -- The login transaction that asks: SHA-256 of its id. Null for a request of a client, and none of those can
        -- be redeemed by a login, nor the other way round.
        ALTER TABLE backchannel_request ADD COLUMN log_in \(dialect.blob);
        -- 1 if a login showed the ticket that enrolled the device. Nobody knows that of older devices, so they
        -- count as those that less was proven for.
        ALTER TABLE device ADD COLUMN enrolled_at_log_in \(dialect.integer) NOT NULL DEFAULT 1;
        -- The client that the user was logging in to when they asked for the ticket.
        ALTER TABLE password_ticket ADD COLUMN client TEXT;
        """
    }
}
