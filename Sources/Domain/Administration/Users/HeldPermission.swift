package import AuthorizationCore
import Primitives

/// A user's permission and its sources.
package struct HeldPermission: Sendable, Equatable {
    package let permission: Role.Permission
    /// True if the user has it directly.
    package let isDirect: Bool
    /// Roles of the user that grant it.
    package let roles: [Role]

    /// Sorted by API and scope.
    package static func all(of user: User, roles known: [RoleID: Role]) -> [HeldPermission] {
        let roles = user.roles.compactMap { known[$0] }
        let permissions = roles.reduce(into: user.permissions) { $0.formUnion($1.permissions) }
        return permissions.sorted { ($0.resourceServer, $0.scope) < ($1.resourceServer, $1.scope) }.map { permission in
            HeldPermission(
                permission: permission, isDirect: user.permissions.contains(permission),
                roles: roles.filter { $0.permissions.contains(permission) })
        }
    }
}
