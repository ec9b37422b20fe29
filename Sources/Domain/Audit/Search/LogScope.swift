package import AuthorizationCore

/// The tenants whose entries are read.
package enum LogScope: Sendable, Equatable {
    /// One tenant, possibly deleted.
    case tenant(TenantID)
    /// All tenants, including deleted ones: for readers of the whole store.
    case allTenants
}
