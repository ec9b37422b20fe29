import SQL

extension Schema {
    /// Databases of before have only their signing keys to tell their master key by.
    package static let masterKeyCheckName = "014 master key check"

    static func masterKeyCheck(_ dialect: Dialect) -> String {
        """
        -- One row at most: what only the master key opens under which everything here is sealed.
        CREATE TABLE master_key_check (
            id \(dialect.integer) NOT NULL PRIMARY KEY CHECK (id = 1),
            sealed \(dialect.blob) NOT NULL
        )\(dialect.strict);
        """
    }

    static func derivationKeys(_ dialect: Dialect) -> String {
        """
        -- The keys that tokens and forms are derived with, each for one purpose and sealed under the master key: what was
        -- derived goes on when that key is exchanged.
        CREATE TABLE derivation_key (
            label TEXT NOT NULL PRIMARY KEY,
            sealed \(dialect.blob) NOT NULL
        )\(dialect.strictByKey);
        """
    }
}
