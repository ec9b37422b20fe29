package import AuthorizationCore
package import Configuration
import SQL

extension Store: ConfigurationStore {
    package func version() async throws -> Int64 {
        try await database.read { try StoredConfiguration(store: self, connection: $0).version() }
    }

    package func objects(
        _ parts: Set<ConfigurationPart>, of tenant: TenantID?
    ) async throws -> [ConfigurationObjects] {
        try await read { try $0.objects(parts, of: tenant) }
    }

    package func commit(_ commit: ConfigurationCommit, ifVersion version: Int64?) async throws -> [[UInt8]]? {
        try await changeStored { transaction in
            guard try version == nil || transaction.version() == version else { return nil }
            return try transaction.commit(commit)
        }
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any UserReader) throws -> Result
    ) async throws -> Result {
        try await database.read { try body(StoredConfiguration(store: self, connection: $0)) }
    }

    package func change<Result: Sendable>(
        _ body: @escaping @Sendable (any UserTransaction) throws -> Result
    ) async throws -> Result {
        try await changeStored { try body($0) }
    }

    func changeStored<Result: Sendable>(
        _ body: @escaping @Sendable (StoredConfiguration) throws -> Result
    ) async throws -> Result {
        try await database.write { connection in
            try connection.lock(.configuration)
            let transaction = StoredConfiguration(store: self, connection: connection, isChange: true)
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
