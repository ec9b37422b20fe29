import SQL

extension Schema {
    static func rejectionReasons(_ dialect: Dialect) -> String {
        """
        -- The person's own words, for the client; null where there are none.
        ALTER TABLE backchannel_request ADD COLUMN rejection_reason TEXT;
        """
    }
}
