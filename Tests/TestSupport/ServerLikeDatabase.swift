import SQL
import Synchronization

/// SQLite behind the habits of a database server, which the port allows: every closure runs on another thread and more than
/// once, commits fail and are repeated, what one at a time may do needs its lock, and changes are made in several lanes.
final class ServerLikeDatabase: Database {
    private struct FailedCommit: Error {}

    private let wrapped: any Database
    private let changes = Atomic<Int>(0)
    static let lanes: Int64 = 3
    /// Longer than any test.
    private static let limit = Duration.seconds(600)

    init(_ wrapped: any Database) { self.wrapped = wrapped }

    var dialect: any Dialect { Words(wrapped: wrapped.dialect) }

    /// Queries that hold their rows say so.
    private struct Words: DialectWrapper {
        let wrapped: any Dialect
        func holding(_ hold: RowHold) -> String { ReadThenChange.mark }
    }

    nonisolated(nonsending) func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await scan(within: Self.limit, body)
    }

    nonisolated(nonsending) func reduce<Result: Sendable>(
        _ statement: Statement, into initial: Result,
        _ visit: @escaping @Sendable (inout Result, borrowing Row) throws -> Bool
    ) async throws -> Result {
        try await scan(within: Self.limit) { connection in
            var result = initial
            try connection.run(statement) { try visit(&result, $0) }
            return result
        }
    }

    nonisolated(nonsending) func scan<Result: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        _ = try? await wrapped.scan(within: limit, body)
        return try await wrapped.scan(within: limit, body)
    }

    @discardableResult
    nonisolated(nonsending) func write<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        // `body` does again all that it did in a commit that fails.
        let number = changes.add(1, ordering: .relaxed).oldValue
        // SQLite has one writer, so that nobody else has the lane.
        let lane = Int64(number) % Self.lanes + 1
        let words = dialect
        for _ in 0...(number % 5 == 0 ? 1 : 0) {
            do {
                try await wrapped.write { connection in
                    _ = try body(LockingConnection(connection, lane, words))
                    throw FailedCommit()
                }
            } catch is FailedCommit {
            } catch SQLError.overloaded {
                throw SQLError.overloaded
            } catch {
                // The same error comes again.
            }
        }
        return try await wrapped.write { try body(LockingConnection($0, lane, words)) }
    }
}

/// Refuses statements whose subject has a lock that their transaction has not taken, and changes of what a plain query read
/// (``ReadThenChange``). Remembers nothing of other changes
/// in the same commit.
private final class LockingConnection: Connection {
    private let wrapped: any Connection
    private var locks: Set<SQLLock> = []
    private var history = ReadThenChange()
    let lane: Int64
    let dialect: any Dialect
    var remembered: AnyObject?

    init(_ wrapped: any Connection, _ lane: Int64, _ dialect: any Dialect) {
        self.wrapped = wrapped
        self.lane = lane
        self.dialect = dialect
    }

    func run(_ statement: Statement, _ visit: (borrowing Row) throws -> Bool) throws -> Int {
        try requireLock(statement)
        return try wrapped.run(statement, visit)
    }

    func perform(_ statement: Statement) throws { try execute(statement) }

    func insert(_ statement: Statement, key: StaticString) throws -> Int64? {
        try requireLock(statement)
        return try wrapped.insert(statement, key: key)
    }

    func lock(_ lock: SQLLock) throws {
        locks.insert(lock)
        history.lock()
        try wrapped.lock(lock)
    }

    func columns(of table: String) throws -> [String] { try wrapped.columns(of: table) }

    func script(_ text: String) throws(SQLError) { try wrapped.script(text) }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try wrapped.savepoint(body)
        } catch {
            remembered = nil
            throw error
        }
    }

    private func requireLock(_ statement: Statement) throws(SQLError) {
        let text = statement.text(in: dialect)
        let needed: SQLLock? =
            if text.contains("INSERT INTO audit_log ("), lane == 0 {
                .auditLog
            } else if text.contains("SET version = version + 1") {
                .configuration
            } else if text.contains("INSERT INTO schema_migrations") {
                .schema
            } else {
                nil
            }
        if let table = history.note(text) {
            throw .mismatch("a change of \(table) rests on a read that holds no rows: \(text)")
        }
        if let needed, !locks.contains(needed) { throw .mismatch("a change without the lock \(needed): \(text)") }
    }
}
