package import AuthorizationCore
import Primitives

extension ConfigurationStore {
    /// Removes the context's tenant with all that is its own; its entries in the audit log stay.
    package func remove(_ tenant: TenantID, for context: AdministrativeContext) async throws {
        try await change(for: context) { change in
            try change.transaction.remove(tenant: tenant)
            try change.record(.removed, .tenant, tenant.rawValue)
        }
    }

    /// One change for an context: all of what `body` does, or nothing when it throws.
    package func change<Result: Sendable>(
        for context: AdministrativeContext, _ body: @escaping @Sendable (ConfigurationChange) throws -> Result
    ) async throws -> Result {
        try await change { try body(ConfigurationChange(transaction: $0, context: context)) }
    }
}
