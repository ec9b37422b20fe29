package import AuthorizationCore
package import Primitives

/// Store port for values that work once: assertions of clients, and forms that change something.
package protocol OneTimeValueStore: Sendable {
    /// Stores the use of a value until `end`. False if it was used before, on any node: of two simultaneous uses exactly
    /// one gets true.
    /// - Parameter hash: SHA-256 of the value and of all that it is bound to, such as tenant, client and `jti`.
    func use(_ hash: [UInt8], tenant: TenantID, until end: Timestamp) async throws -> Bool
}
