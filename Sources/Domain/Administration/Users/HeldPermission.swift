package import AuthorizationCore
import Primitives

/// A permission that a user has, and where it comes from.
package struct HeldPermission: Sendable, Equatable {
    package let permission: Role.Permission
    /// Whether it was given to the user alone.
    package let isDirect: Bool
    /// Roles of the user that permit it.
    package let roles: [Role]

    /// What `user` has, sorted by API and scope.
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
