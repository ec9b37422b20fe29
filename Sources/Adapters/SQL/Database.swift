/// A store of rows that reads at a snapshot and changes atomically.
package protocol Database: Sendable {
    /// Reads at one snapshot, which holds every change that was acknowledged before.
    ///
    /// On SQLite this does not suspend: `body` runs at once, on the thread of the caller. Keep it short.
    /// - Throws: ``SQLError``, or what `body` throws. A statement in `body` that would change something throws.
    nonisolated(nonsending)
        func read<Result: Sendable>(_ body: (any Connection) throws -> Result) async throws -> Result

    /// Shows each row of one statement to `visit` until that answers false. A statement is a snapshot by itself, so
    /// this spares the transaction around it.
    /// - Throws: ``SQLError``, or what `visit` throws. A statement that would change something throws.
    nonisolated(nonsending)
        func read(_ statement: Statement, _ visit: (borrowing Row) throws -> Bool) async throws

    /// Reads at one snapshot as `read` does, but on a thread that may be kept busy, and for no longer than `limit`
    /// together with the wait for that thread: for what may look at many rows.
    /// - Throws: ``SQLError``, among them ``SQLError/timedOut`` and ``SQLError/overloaded``; or what `body` throws.
    nonisolated(nonsending)
        func scan<Result: Sendable>(
            within limit: Duration, _ body: @escaping @Sendable (any Connection) throws -> Result
        ) async throws -> Result

    /// Changes the database: all of what `body` did, or nothing when it throws.
    ///
    /// When this returns, the change is durable. The engine may run `body` more than once before that, so its only
    /// effect must be on the connection, and may run it on any thread, so it must not wait for anything else.
    /// Cancelling the task does not take a change back.
    /// - Throws: ``SQLError``, among them ``SQLError/overloaded``; or what `body` throws.
    @discardableResult
    nonisolated(nonsending)
        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any Connection) throws -> Result
        ) async throws -> Result
}

extension Database {
    /// The first row of one statement, as `read` makes it, or nil when there is none.
    package nonisolated(nonsending)
        func first<Result>(
            _ statement: Statement, _ read: (borrowing Row) throws -> Result
        ) async throws -> Result?
    {
        var result: Result?
        try await self.read(statement) { row in
            result = try read(row)
            return false
        }
        return result
    }
}
