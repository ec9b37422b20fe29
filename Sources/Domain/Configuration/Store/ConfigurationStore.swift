/// Store operations for administration.
package protocol ConfigurationStore: Sendable {
    /// Increases with every change by any process.
    func version() async throws -> Int64

    /// Reads one snapshot, which includes every change acknowledged before.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ConfigurationReader) throws -> Result
    ) async throws -> Result

    /// Runs `body` in one transaction. Changes nothing if `body` throws. `body` may run more than once.
    func change<Result: Sendable>(
        _ body: @escaping @Sendable (any ConfigurationTransaction) throws -> Result
    ) async throws -> Result
}

extension ConfigurationStore {
    package func tenants() async throws -> [StoredTenant] { try await read { try $0.tenants() } }
}
