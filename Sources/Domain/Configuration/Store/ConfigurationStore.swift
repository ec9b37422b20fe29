import AuthorizationCore
import Primitives

/// What administration needs of a store.
package protocol ConfigurationStore: Sendable {
    /// Grows with every change, whichever process made it.
    func version() async throws -> Int64

    /// Reads at one snapshot, which holds every change that was acknowledged before.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any ConfigurationReader) throws -> Result
    ) async throws -> Result

    /// One transaction: all of what `body` does, or nothing when it throws. `body` may run more than once.
    func change<Result: Sendable>(
        _ body: @escaping @Sendable (any ConfigurationTransaction) throws -> Result
    ) async throws -> Result
}

extension ConfigurationStore {
    package func tenants() async throws -> [StoredTenant] {
        try await read { try $0.tenants() }
    }
}
