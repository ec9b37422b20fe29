package import AuthorizationCore
package import Flows
package import Primitives

/// A provider's check of the credentials that tenants gave it. Sends nothing to a person.
package struct CredentialCheck: Sendable {
    let run: @Sendable (TenantConfiguration, Timestamp) async -> [CredentialFinding]

    package init(_ run: @escaping @Sendable (TenantConfiguration, Timestamp) async -> [CredentialFinding]) {
        self.run = run
    }
}
