/// A connection inside a transaction, as ``Database/read(_:)`` and ``Database/write(_:)`` hand it out.
///
/// Do not keep it beyond the closure. Do not begin or end transactions with it; nest with ``savepoint(_:)``.
package protocol Connection {
    /// Value that a change leaves for those after it in the same transaction, so that they need not read it again. Gone when
    /// the transaction ends, and when any of it is taken back.
    var remembered: (any Sendable)? { get nonmutating set }

    /// Runs `statement` and shows each row to `visit` until that answers false.
    ///
    /// A statement that changes rows does all of its work even when `visit` stops early.
    /// - Returns: the number of rows inserted, updated or deleted; 0 for a statement that only reads.
    /// - Throws: ``SQLError``, or what `visit` throws.
    @discardableResult
    func run(_ statement: Statement, _ visit: (borrowing Row) throws -> Bool) throws -> Int

    /// Inserts at most one row and returns its key, which the database chose (`Dialect.growingKey`, `Dialect.rowKey`). Nil
    /// means that the statement's conditions inserted none. Cheaper than `RETURNING`, for which SQLite makes a table.
    func insert(_ statement: Statement) throws -> Int64?

    /// Runs several statements without parameters, separated by semicolons: for schemas.
    ///
    /// `text` is taken as it is. It must come from the program and never from outside.
    func script(_ text: String) throws(SQLError)

    /// Runs `body` so that its changes are undone when it throws, while those before it stay.
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result
}

extension Connection {
    /// Runs a statement for its effect.
    /// - Returns: the number of rows inserted, updated or deleted.
    @discardableResult
    package func execute(_ statement: Statement) throws -> Int {
        try run(statement) { _ in true }
    }

    /// Every row, as `read` makes it.
    package func query<Result>(_ statement: Statement, _ read: (borrowing Row) throws -> Result) throws -> [Result] {
        var results: [Result] = []
        try run(statement) { row in
            results.append(try read(row))
            return true
        }
        return results
    }

    /// The first row, as `read` makes it, or nil when there is none. Also for `… RETURNING`.
    package func first<Result>(_ statement: Statement, _ read: (borrowing Row) throws -> Result) throws -> Result? {
        var result: Result?
        try run(statement) { row in
            result = try read(row)
            return false
        }
        return result
    }

    /// True if there is a row.
    package func exists(_ statement: Statement) throws -> Bool {
        var found = false
        try run(statement) { _ in
            found = true
            return false
        }
        return found
    }

    /// Names of a table's columns in their order. Empty if the schema has no such table.
    package func columns(of table: String) throws -> [String] {
        try query("SELECT name FROM pragma_table_info(\(table)) ORDER BY cid") { try $0.text(0) }
    }
}
