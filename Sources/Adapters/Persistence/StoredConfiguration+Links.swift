import AuthorizationCore
import Configuration
import Primitives
import SQL

/// Links that set a password, prove an address or enrol a phone. A link leads to all that its user may do when it is used,
/// which may be more than when it was made. So unused links end when a user gets Management API scopes.
extension StoredConfiguration {
    /// Ends the user's links if the user may do more than before.
    func endLinks(of user: User, over old: User, in tenant: TenantID) throws {
        guard user.roles != old.roles || user.permissions != old.permissions else { return }
        guard try !managementScopes(of: user, in: tenant).isSubset(of: managementScopes(of: old, in: tenant)) else {
            return
        }
        try removeTickets(of: user.id, in: tenant)
    }

    /// Ends the links of a role's members if the role gives more than before.
    func endLinks(ofMembersOf role: TenantDocument, in id: TenantID) throws {
        guard role.kind == .role, let tenant = try tenant(id) else { return }
        let new = try Role(role).permissions
        let old = try find(Role.self, role.id, of: id)?.permissions ?? []
        guard !tenant.managementScopes(in: new).isSubset(of: tenant.managementScopes(in: old)) else { return }
        try removeTickets(
            where: """
                tenant = \(id)
                    AND "user" IN (SELECT "user" FROM user_role WHERE tenant = \(id) AND role = \(role.id))
                """)
    }

    func removeTickets(where condition: SQLFragment) throws {
        for table in ["password_ticket", "email_ticket"] {
            try connection.execute("DELETE FROM \(raw: table) WHERE \(condition)")
        }
        try connection.execute("DELETE FROM enrollment_ticket WHERE \(condition) AND used_by IS NULL")
    }
}
