package import SQL

/// A database whose connections a test watches or changes.
package protocol DatabaseWrapper: Database {
    var wrapped: any Database { get }

    /// The connection that a body gets.
    func connection(_ connection: any Connection) -> any Connection
}

extension DatabaseWrapper {
    package var dialect: any Dialect { wrapped.dialect }

    package func connection(_ connection: any Connection) -> any Connection { connection }

    package nonisolated(nonsending) func read<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await wrapped.read { try body(connection($0)) }
    }

    package nonisolated(nonsending) func reduce<Result: Sendable>(
        _ statement: Statement, into initial: Result,
        _ visit: @escaping @Sendable (inout Result, borrowing Row) throws -> Bool
    ) async throws -> Result {
        try await wrapped.reduce(statement, into: initial, visit)
    }

    package nonisolated(nonsending) func scan<Result: Sendable>(
        within limit: Duration, _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await wrapped.scan(within: limit) { try body(connection($0)) }
    }

    @discardableResult
    package nonisolated(nonsending) func write<Result: Sendable>(
        _ body: @escaping @Sendable (any Connection) throws -> Result
    ) async throws -> Result {
        try await wrapped.write { try body(connection($0)) }
    }
}

/// A connection of which a test sees the statements.
package protocol ConnectionWrapper: Connection {
    var wrapped: any Connection { get }

    /// Called before each statement.
    func note(_ statement: Statement) throws
}

extension ConnectionWrapper {
    package var dialect: any Dialect { wrapped.dialect }
    package var lane: Int64 { wrapped.lane }
    package var remembered: AnyObject? {
        get { wrapped.remembered }
        nonmutating set { wrapped.remembered = newValue }
    }

    package func run(_ statement: Statement, _ visit: (borrowing Row) throws -> Bool) throws -> Int {
        try note(statement)
        return try wrapped.run(statement, visit)
    }

    package func perform(_ statement: Statement) throws {
        try note(statement)
        try wrapped.perform(statement)
    }

    package func insert(_ statement: Statement, key: StaticString) throws -> Int64? {
        try note(statement)
        return try wrapped.insert(statement, key: key)
    }

    package func lock(_ lock: SQLLock) throws { try wrapped.lock(lock) }
    package func columns(of table: String) throws -> [String] { try wrapped.columns(of: table) }
    package func script(_ text: String) throws(SQLError) { try wrapped.script(text) }
    package func savepoint<Result>(_ body: () throws -> Result) throws -> Result { try wrapped.savepoint(body) }
}
