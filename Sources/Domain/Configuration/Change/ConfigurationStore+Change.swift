package import AuthorizationCore
import Primitives

extension ConfigurationStore {
    /// Deletes the context's tenant with all its data. Its audit log entries stay.
    package func remove(_ tenant: TenantID, for context: AdministrativeContext) async throws {
        try await change(for: context) { change in
            try change.transaction.remove(tenant: tenant)
            try change.record(.removed, .tenant, tenant.rawValue)
        }
    }

    /// Runs `body` in one transaction. Changes nothing if `body` throws.
    package func change<Result: Sendable>(
        for context: AdministrativeContext, _ body: @escaping @Sendable (ConfigurationChange) throws -> Result
    ) async throws -> Result {
        try await change { try body(ConfigurationChange(transaction: $0, context: context)) }
    }
}
