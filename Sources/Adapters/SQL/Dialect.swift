/// Where the text of statements must differ between engines: in the types that a schema names.
package enum Dialect: Sendable {
    case sqlite
    case postgresql

    /// 64-bit whole number.
    package var integer: String { self == .sqlite ? "INTEGER" : "BIGINT" }
    package var real: String { self == .sqlite ? "REAL" : "DOUBLE PRECISION" }
    package var blob: String { self == .sqlite ? "BLOB" : "BYTEA" }

    /// Text that is compared byte by byte, which for UTF-8 is the order of the code points.
    package var textInByteOrder: String { self == .sqlite ? "TEXT" : "TEXT COLLATE \"C\"" }

    /// Tells the planner for good what to expect of indexes: for each how many rows there are, then how many of them
    /// share its first column, its first two, and so on. PostgreSQL finds that out by itself, while SQLite knows
    /// nothing until it is told (sqlite.org/lang_analyze.html).
    package func plannedFor(_ statistics: [(table: String, index: String, rows: [Int])]) -> String {
        guard self == .sqlite else { return "" }
        let values = statistics.map { entry in
            "('\(entry.table)', '\(entry.index)', '\(entry.rows.map(String.init).joined(separator: " "))')"
        }
        return """
            ANALYZE sqlite_schema;
            INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES \(values.joined(separator: ",\n    "));
            ANALYZE sqlite_schema;
            """
    }

    /// The column definition of a key that grows with every row; cheaper than `growingKey`, but the highest may be used
    /// again once its row was deleted.
    package var rowKey: String {
        self == .sqlite ? "INTEGER PRIMARY KEY" : "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    }

    /// The column definition of a key that grows with every row and is never used twice.
    package var growingKey: String {
        self == .sqlite
            ? "INTEGER PRIMARY KEY AUTOINCREMENT" : "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    }

    /// Ends a `CREATE TABLE`: types are enforced. PostgreSQL always does.
    package var strict: String { self == .sqlite ? " STRICT" : "" }

    /// Ends a `CREATE TABLE` whose rows live in the primary key's own tree: one look-up less by that key. Only for rows
    /// of less than about 200 bytes: with larger ones SQLite's inner pages hold few keys, and reads and writes both
    /// become slower (measured at 350 bytes with random keys: half of the inserts a second).
    package var strictByKey: String { self == .sqlite ? " STRICT, WITHOUT ROWID" : "" }
}
