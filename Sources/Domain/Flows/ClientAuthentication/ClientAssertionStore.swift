package import AuthorizationCore
package import Primitives

/// Store port of authentication by assertions.
package protocol ClientAssertionStore: Sendable {
    /// Stores the use of an assertion until `end`. False if the assertion was used before, on any node: of two
    /// simultaneous uses exactly one gets true.
    /// - Parameter hash: SHA-256 of tenant, client and `jti`.
    func use(assertion hash: [UInt8], tenant: TenantID, until end: Timestamp) async throws -> Bool
}
