package import AuthorizationCore

/// Whose entries of the log are meant.
package enum LogScope: Sendable, Equatable {
    /// One tenant's, which may have been deleted.
    case tenant(TenantID)
    /// Those of all tenants, also of deleted ones: for whoever may read the whole store.
    case allTenants
}
