import SQL

extension Schema {
    static func masterKeyCheck(_ dialect: Dialect) -> String {
        """
        -- One row at most: what only the master key opens under which everything here is sealed.
        CREATE TABLE master_key_check (
            id \(dialect.integer) NOT NULL PRIMARY KEY CHECK (id = 1),
            sealed \(dialect.blob) NOT NULL
        )\(dialect.strict);
        """
    }
}
