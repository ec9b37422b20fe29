/// A store of rows that reads at a snapshot and changes atomically.
package protocol Database: Sendable {
    /// Reads one snapshot, which holds every change acknowledged before.
    ///
    /// On SQLite this does not suspend: `body` runs at once, on the caller's thread. Keep it short.
    /// - Throws: ``SQLError``, or what `body` throws. A statement in `body` that would change something throws.
    nonisolated(nonsending)
        func read<Result: Sendable>(_ body: (any Connection) throws -> Result) async throws -> Result

    /// Passes each row of one statement to `visit` until it returns false. A statement is a snapshot by itself, so it
    /// needs no transaction.
    /// - Throws: ``SQLError``, or what `visit` throws. A statement that would change something throws.
    nonisolated(nonsending) func read(_ statement: Statement, _ visit: (borrowing Row) throws -> Bool) async throws

    /// Reads one snapshot like `read`, but on a thread that may be kept busy: for queries of many rows. `limit`
    /// includes the wait for that thread.
    /// - Throws: ``SQLError``, among them ``SQLError/timedOut`` and ``SQLError/overloaded``; or what `body` throws.
    nonisolated(nonsending) func scan<Result: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result

    /// Changes the database: all that `body` did, or nothing if it throws.
    ///
    /// When this returns, the change is durable. The engine may run `body` more than once and on any thread. So its
    /// only effect must be on the connection, and it must not wait. Cancelling the task does not undo a change.
    /// - Throws: ``SQLError``, among them ``SQLError/overloaded``; or what `body` throws.
    @discardableResult
    nonisolated(nonsending) func write<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result
}

extension Database {
    /// First row of one statement, read by `read`. Nil if there is none.
    package nonisolated(nonsending) func first<Result>(
        _ statement: Statement, _ read: (borrowing Row) throws -> Result
    ) async throws -> Result? {
        var result: Result?
        try await self.read(statement) { row in
            result = try read(row)
            return false
        }
        return result
    }

    /// All rows of one statement, read by `read`.
    package nonisolated(nonsending) func query<Result>(
        _ statement: Statement, _ read: (borrowing Row) throws -> Result
    ) async throws -> [Result] {
        var results: [Result] = []
        try await self.read(statement) { row in
            results.append(try read(row))
            return true
        }
        return results
    }

    /// Runs one statement as a change.
    /// - Returns: the number of rows inserted, updated or deleted.
    @discardableResult
    package nonisolated(nonsending) func execute(_ statement: Statement) async throws -> Int {
        try await write { try $0.execute(statement) }
    }
}
