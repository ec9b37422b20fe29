package import AuthorizationCore
package import Configuration
import Primitives

/// Manages permissions that users have directly, not through roles.
package struct ManageUserAccess: Sendable {
    private let store: any ConfigurationStore

    package init(store: any ConfigurationStore) { self.store = store }

    /// Accepts only scopes of APIs.
    package func add(_ permissions: Set<Role.Permission>, to user: UserID, for context: AdministrativeContext)
        async throws
    {
        try await change(user, for: context) { change, held in
            for permission in permissions { try ManageRoles.check(permission, change) }
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
        _ body: @escaping @Sendable (ConfigurationChange, inout Set<Role.Permission>) throws -> Void
    ) async throws {
        try await store.change(for: context) { change in
            guard let (old, hash) = try change.transaction.user(id, in: context.tenant) else {
                throw AdministrationFailure.unknown(.user)
            }
            var user = old
            try body(change, &user.permissions)
            guard user.permissions != old.permissions else { return }
            user.updatedAt = context.now
            try change.transaction.put(user, passwordHash: hash, in: context.tenant)
            try change.record(.changed, .user, id.rawValue, fields: ["permissions"], user: id)
        }
    }
}
