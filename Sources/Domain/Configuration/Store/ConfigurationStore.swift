package import AuthorizationCore

/// Store of tenants' configuration, and of users for administration.
package protocol ConfigurationStore: Sendable {
    /// Increases with every change by any process.
    func version() async throws -> Int64

    /// Reads parts of one tenant, or of all that are known and unchanged, sorted by id. One snapshot, which includes every
    /// change acknowledged before.
    func objects(_ parts: Set<ConfigurationPart>, of tenant: TenantID?) async throws -> [ConfigurationObjects]

    /// Writes in one transaction. Returns the stored form of each ended request's `auth_req_id`. Nil means that the
    /// version is not `version`, and that nothing changed. A nil `version` writes over any other.
    func commit(_ commit: ConfigurationCommit, ifVersion version: Int64?) async throws -> [[UInt8]]?

    /// Reads users in one snapshot, which includes every change acknowledged before.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any UserReader) throws -> Result
    ) async throws -> Result

    /// Changes users in one transaction. Changes nothing if `body` throws. `body` may run more than once.
    func change<Result: Sendable>(
        _ body: @escaping @Sendable (any UserTransaction) throws -> Result
    ) async throws -> Result
}
