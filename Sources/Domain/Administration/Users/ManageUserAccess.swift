package import AuthorizationCore
package import Configuration
import Primitives

/// Manages permissions that users have directly, not through roles.
package struct ManageUserAccess: Sendable {
    let store: any ConfigurationStore

    /// Accepts only scopes of APIs.
    package func add(_ permissions: Set<Role.Permission>, to user: UserID, for context: AdministrativeContext)
        async throws
    {
        try await change(user, for: context) { change, held in
            for permission in permissions {
                try ManageRoles.check(permission) { api in
                    try change.reader.draft(of: context.tenant, [.tenant, .object(.resourceServer, id: api)])
                        .resourceServer(api)
                }
            }
            held.formUnion(permissions)
        }
    }

    package func remove(_ permissions: Set<Role.Permission>, from user: UserID, for context: AdministrativeContext)
        async throws
    {
        try await change(user, for: context) { _, held in held.subtract(permissions) }
    }

    private func change(
        _ id: UserID, for context: AdministrativeContext,
        _ body: @escaping @Sendable (UserChange, inout Set<Role.Permission>) throws -> Void
    ) async throws {
        try await store.change(for: context) { change in
            let person = try change.user(id).orUnknown(.user)
            let old = person.user
            var user = old
            try body(change, &user.permissions)
            guard user.permissions != old.permissions else { return }
            user.updatedAt = context.now
            try person.put(user, passwordHash: person.passwordHash)
            try change.record(.changed, .user, id.rawValue, fields: ["permissions"], user: id)
        }
    }
}

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

extension Managers {
    package var userAccess: ManageUserAccess { ManageUserAccess(store: store) }
}
