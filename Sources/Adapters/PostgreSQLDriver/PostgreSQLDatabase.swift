package import SQL
import Synchronization

/// A database of a PostgreSQL server, over a bounded number of connections with a thread each.
///
/// Reads are one snapshot (`REPEATABLE READ`). Changes are `READ COMMITTED`: each statement sees what was committed before it
/// began, and waits for other changes of its rows. Bodies that must not change what another one has read take a lock
/// (`Connection.lock(_:)`) or say it in the statement that changes. Several waiting changes share a transaction.
///
/// A change is acknowledged after the server has committed it, and is as durable as its `synchronous_commit` says.
package final class PostgreSQLDatabase: ServedDatabase {
    package var dialect: any Dialect { PostgreSQLDialect() }

    private let readers: ConnectionPool
    private let writers: ConnectionPool
    private let scanners: ConnectionPool
    private let statistics = WriterStatistics()
    private let link = Link()

    /// Opens a first connection, and blocks meanwhile.
    package init(_ configuration: PostgreSQLConfiguration) throws(SQLError) {
        _ = try PostgreSQLConnection(configuration, as: .writer)
        readers = ConnectionPool(
            configuration, as: .reader, threads: configuration.readers, queueLimit: configuration.readQueueLimit,
            link: link)
        writers = ConnectionPool(
            configuration, as: .writer, threads: configuration.writers, queueLimit: configuration.queueLimit,
            link: link,
            statistics: statistics)
        scanners = ConnectionPool(
            configuration, as: .reader, threads: configuration.scanners, queueLimit: configuration.scanQueueLimit,
            link: link)
    }

    deinit { for pool in [readers, writers, scanners] { pool.close() } }

    package nonisolated(nonsending) func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await readers.run { try $0.read(body) }
    }

    package nonisolated(nonsending) func reduce<Result: Sendable>(
        _ statement: Statement, into initial: Result,
        _ visit: @escaping @Sendable (inout Result, borrowing Row) throws -> Bool
    ) async throws -> Result {
        try await readers.run { connection in
            var result = initial
            _ = try connection.run(statement) { try visit(&result, $0) }
            return result
        }
    }

    package nonisolated(nonsending) func scan<Result: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        let deadline = ContinuousClock.now + limit
        return try await scanners.run { connection in
            guard deadline > .now else { throw SQLError.timedOut }
            connection.deadline = deadline
            defer { connection.deadline = nil }
            return try connection.read(body)
        }
    }

    @discardableResult
    package nonisolated(nonsending) func write<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await writers.run { try body($0) }
    }

    /// Round trips to the server, of all connections.
    package var exchanges: Int { link.exchanges.load(ordering: .relaxed) }

    package var queuedChanges: Int { writers.waiting }

    package var queuedWork: Int { writers.waiting + readers.waiting }

    package var measurements: WriterMeasurements { statistics.current }

    package nonisolated(nonsending) func close() async {
        for pool in [readers, writers, scanners] { pool.close() }
        for pool in [readers, writers, scanners] { await pool.finished() }
    }
}

extension PostgreSQLConnection {
    /// Runs `body` on one snapshot.
    fileprivate func read<Result>(_ body: (any Connection) throws -> Result) throws -> Result {
        try begin()
        defer { end() }
        return try body(self)
    }
}
