import SQL

extension Schema {
    /// A client knows the tenant by the host that it called, and believes no other issuer.
    static func logoutHosts(_ dialect: Dialect) -> String {
        """
        -- Null where the client got its code before there was this column: the tenant's own name then.
        ALTER TABLE session_client ADD COLUMN host TEXT;
        ALTER TABLE logout_notice ADD COLUMN host TEXT;
        """
    }

    /// Why the last try to tell a client failed.
    static func logoutReasons(_ dialect: Dialect) -> String {
        "ALTER TABLE logout_notice ADD COLUMN reason TEXT;"
    }
}
