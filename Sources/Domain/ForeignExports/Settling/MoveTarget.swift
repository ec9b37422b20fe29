package import AuthorizationCore
package import Configuration
import Primitives

/// Tenant that an export is imported into.
package struct MoveTarget: Sendable {
    let id: String
    let host: String
    /// Nil for a tenant to be made.
    let stored: StoredTenant?

    package init(stored: StoredTenant) {
        id = stored.tenant.id.rawValue
        host = stored.tenant.hosts.first ?? ""
        self.stored = stored
    }

    package init(new id: TenantID, host: String) {
        self.id = id.rawValue
        self.host = host
        stored = nil
    }
}
