import SQL

/// Tells the watch what the changes appended that were acknowledged.
struct WatchedDatabase: Database {
    private let wrapped: any Database
    private let watch: AuditWatch

    init(_ wrapped: any Database, _ watch: AuditWatch) {
        self.wrapped = wrapped
        self.watch = watch
    }

    var dialect: Dialect { wrapped.dialect }

    nonisolated(nonsending)
        func read<Result: Sendable>(_ body: (any Connection) throws -> Result) async throws -> Result
    {
        try await wrapped.read(body)
    }

    nonisolated(nonsending)
        func read(_ statement: Statement, _ visit: (borrowing Row) throws -> Bool) async throws
    {
        try await wrapped.read(statement, visit)
    }

    nonisolated(nonsending)
        func scan<Result: Sendable>(
            within limit: Duration, _ body: @escaping @Sendable (any Connection) throws -> Result
        ) async throws -> Result
    {
        try await wrapped.scan(within: limit, body)
    }

    @discardableResult
    nonisolated(nonsending)
        func write<Result: Sendable>(
            _ body: @escaping @Sendable (any Connection) throws -> Result
        ) async throws -> Result
    {
        let (result, appended) = try await wrapped.write { [watch] connection in
            try watch.running { try body(connection) }
        }
        if let appended { watch.know(appended) }
        return result
    }
}
