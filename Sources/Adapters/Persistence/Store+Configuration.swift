package import Configuration
import SQL

extension Store: ConfigurationStore {
    package func version() async throws -> Int64 {
        let version = try await database.first("SELECT version FROM configuration") { try $0.int64(0) }
        guard let version else { throw CorruptRow(what: "configuration, which has no version") }
        return version
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ConfigurationReader) throws -> Result
    ) async throws -> Result {
        try await database.read { try body(StoredConfiguration(store: self, connection: $0)) }
    }

    package func change<Result: Sendable>(
        _ body: @escaping @Sendable (any ConfigurationTransaction) throws -> Result
    ) async throws -> Result {
        try await database.write { connection in
            try connection.lock(.configuration)
            let transaction = StoredConfiguration(store: self, connection: connection)
            let result = try body(transaction)
            if transaction.hasChanged {
                // Without it, no node would notice the change.
                guard try connection.execute("UPDATE configuration SET version = version + 1") == 1 else {
                    throw CorruptRow(what: "configuration, which has no version")
                }
            }
            return result
        }
    }
}
