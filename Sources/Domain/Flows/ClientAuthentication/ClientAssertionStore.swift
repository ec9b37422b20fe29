package import AuthorizationCore
package import Primitives

/// What reauthenticating clients by assertions needs of a store.
package protocol ClientAssertionStore: Sendable {
    /// Keeps that an assertion was used, until `end`, when it is worth nothing any more. False where it was used
    /// before, on whichever node: of two uses at once exactly one gets true.
    /// - Parameter hash: SHA-256 of what makes the assertion the only one: tenant, client and `jti`.
    func use(assertion hash: [UInt8], tenant: TenantID, until end: Timestamp) async throws -> Bool
}
