/// A connection inside a transaction, as ``Database/read(_:)`` and ``Database/write(_:)`` hand it out.
///
/// Do not keep it beyond the closure. Do not begin or end transactions with it; nest with ``savepoint(_:)``.
///
/// Transactions are serializable: what one reads stays true until it ends, or its engine runs it again.
package protocol Connection {
    var dialect: any Dialect { get }

    /// Number of this connection among those that change the database. No other connection of any process has it while
    /// this one is open. 0 if changes follow each other (``SQLLock/auditLog``). Only for changes.
    var lane: Int64 { get }

    /// Object that a change leaves for later ones in the same transaction, so that they need not read it again. Cleared
    /// when the transaction ends or any of it is rolled back.
    var remembered: AnyObject? { get nonmutating set }

    /// Runs `statement` and passes each row to `visit` until it returns false.
    ///
    /// A statement that changes rows does all of its work even if `visit` stops early.
    /// - Returns: the number of rows inserted, updated or deleted; 0 for a statement that only reads.
    /// - Throws: ``SQLError``, or what `visit` throws.
    @discardableResult
    func run(_ statement: Statement, _ visit: (borrowing Row) throws -> Bool) throws -> Int

    /// Runs a statement for an effect of which nobody needs to know. Over a network it costs no wait of its own: it goes
    /// with the next statement, which then may throw its error, or with the end of the transaction or savepoint.
    func perform(_ statement: Statement) throws

    /// Inserts at most one row and returns its key, a whole number that the database chose for the column `key`. Keys grow
    /// in the order of insertions that ended before the next began.
    /// Nil means that the statement's conditions inserted none. Cheaper than `RETURNING`, for which SQLite makes a
    /// table. `statement` runs in no other way.
    func insert(_ statement: Statement, key: StaticString) throws -> Int64?

    /// Waits until no other transaction has the lock, and keeps it until this transaction ends. Only for changes. Later
    /// statements see what the others did.
    /// SQLite has one writer, so that its changes follow each other without a lock.
    func lock(_ lock: SQLLock) throws

    /// Names of a table's columns in order, without those that the engine computes. Empty if there is no such table.
    func columns(of table: String) throws -> [String]

    /// Runs several statements without parameters, separated by semicolons, for schemas.
    ///
    /// `text` runs unchanged. It must come from the program and never from outside.
    func script(_ text: String) throws(SQLError)

    /// Runs `body` and undoes its changes if it throws. Earlier changes stay.
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result
}

extension Connection {
    /// Runs a statement for its effect.
    /// - Returns: the number of rows inserted, updated or deleted.
    @discardableResult
    package func execute(_ statement: Statement) throws -> Int { try run(statement) { _ in true } }

    /// All rows, read by `read`.
    package func query<Result>(_ statement: Statement, _ read: (borrowing Row) throws -> Result) throws -> [Result] {
        var results: [Result] = []
        try run(statement) { row in
            results.append(try read(row))
            return true
        }
        return results
    }

    /// First row, read by `read`. Nil if there is none. Also for `… RETURNING`.
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
}
