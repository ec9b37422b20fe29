/// A store of rows that reads at a snapshot and changes atomically.
package protocol Database: Sendable {
    var dialect: any Dialect { get }

    /// Reads one snapshot, which holds every change acknowledged before.
    ///
    /// The engine may run `body` more than once and on any thread, as for ``write(_:)``. SQLite runs it at once, on the
    /// caller's thread, and does not suspend. Keep it short.
    /// - Throws: ``SQLError``, or what `body` throws. A statement in `body` that would change something throws.
    nonisolated(nonsending) func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result

    /// Passes each row of one statement to `visit`, which changes the result, until `visit` returns false. A statement is
    /// a snapshot by itself, so it needs no transaction. `visit` runs as `body` of ``read(_:)`` does.
    /// - Throws: ``SQLError``, or what `visit` throws. A statement that would change something throws.
    nonisolated(nonsending) func reduce<Result: Sendable>(
        _ statement: Statement, into initial: Result,
        _ visit: @escaping @Sendable (inout Result, borrowing Row) throws -> Bool
    ) async throws -> Result

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

/// A database that a server opens and closes, with measurements.
package protocol ServedDatabase: Database {
    /// Changes that wait.
    var queuedChanges: Int { get }

    /// Reads and changes that wait for a thread of the database, scans apart.
    var queuedWork: Int { get }

    var measurements: WriterMeasurements { get }

    /// Refuses new work, finishes queued work and closes the database. May be repeated.
    nonisolated(nonsending) func close() async
}

extension Database {
    /// First row of one statement, read by `read`. Nil if there is none.
    package nonisolated(nonsending) func first<Result: Sendable>(
        _ statement: Statement, _ read: @escaping @Sendable (borrowing Row) throws -> Result
    ) async throws -> Result? {
        try await reduce(statement, into: Result?.none) { result, row in
            result = try read(row)
            return false
        }
    }

    /// All rows of one statement, read by `read`.
    package nonisolated(nonsending) func query<Result: Sendable>(
        _ statement: Statement, _ read: @escaping @Sendable (borrowing Row) throws -> Result
    ) async throws -> [Result] {
        try await reduce(statement, into: []) { results, row in
            results.append(try read(row))
            return true
        }
    }

    /// Runs one statement as a change.
    /// - Returns: the number of rows inserted, updated or deleted.
    @discardableResult
    package nonisolated(nonsending) func execute(_ statement: Statement) async throws -> Int {
        try await write { try $0.execute(statement) }
    }
}
