import Primitives

/// The role of people who may do everything in a tenant's dashboard.
package enum Administrators {
    package static let roleID = RoleID("rol_administrator")
    package static let roleName = "Administrator"

    /// Every scope of the tenant's Management API.
    package static func permissions(in tenant: Tenant) -> Set<Role.Permission> {
        let audience = tenant.managementAudience
        return Set(
            ResourceServer.managementScopes.map { Role.Permission(resourceServer: audience, scope: $0) })
    }
}
