package import AuthorizationCore
package import Configuration
package import Primitives

/// Manages roles, their permissions and their members.
package struct ManageRoles: Sendable {
    /// Maximum users per role, or roles per user, in a call.
    package static let assignmentLimit = 50

    let store: any ConfigurationStore
    let random: any RandomSource

    /// By name. `name` matches any part, in any case.
    package func list(_ tenant: TenantID, nameContains name: String? = nil) async throws -> [Role] {
        let roles = try await store.view(tenant) { try $0.all(Role.self) }
        let part = name?.lowercased() ?? ""
        return roles.filter { part.isEmpty || $0.name.lowercased().contains(part) }
            .sorted { ($0.name, $0.id.rawValue) < ($1.name, $1.id.rawValue) }
    }

    package func role(_ id: RoleID, of tenant: TenantID) async throws -> Role {
        try await store.view(tenant) { try $0.find(Role.self, id.rawValue) }.orUnknown(.role)
    }

    /// `document` has `name`, maybe `description`. Members that only Auth0 has are left out.
    package func create(_ document: JSONObject, for context: AdministrativeContext) async throws -> Role {
        let id = Identifiers.role(random)
        let document = document.filtered { !Auth0Members.roles.contains([$0]) }
        let role = try DocumentFields.entity(document.patched(with: ["id": .string(id.rawValue)])) { Role($0) }
        return try await store.edit(for: context) { change in
            try Self.checkName(of: role, change.draft)
            try change.requireRights(of: role)
            change.draft.put(role)
            change.record(.created, .role, id.rawValue)
            return role
        }
    }

    /// Replaces `patch`'s members; null deletes.
    package func update(_ id: RoleID, _ patch: JSONObject, for context: AdministrativeContext) async throws -> Role {
        try await store.edit(for: context) { change in
            let old = try Self.role(id, change.draft)
            let role = try DocumentFields.entity(old.document.patched(with: patch)) { Role($0) }
            try Self.checkName(of: role, change.draft)
            try Self.put(role, over: old, &change)
            return role
        }
    }

    /// Also revokes the role from its members.
    package func remove(_ id: RoleID, for context: AdministrativeContext) async throws {
        try await store.edit(for: context) { change in
            try change.requireRights(of: Self.role(id, change.draft))
            change.remove(.role, id.rawValue)
            change.record(.removed, .role, id.rawValue)
        }
    }

    /// Accepts only scopes of APIs.
    package func add(_ permissions: Set<Role.Permission>, to id: RoleID, for context: AdministrativeContext)
        async throws
    {
        try await store.edit(for: context) { change in
            let old = try Self.role(id, change.draft)
            for permission in permissions {
                try Self.check(permission) { try change.draft.resourceServer($0) }
            }
            var role = old
            role.permissions.formUnion(permissions)
            try Self.put(role, over: old, &change)
        }
    }

    package func remove(_ permissions: Set<Role.Permission>, from id: RoleID, for context: AdministrativeContext)
        async throws
    {
        try await store.edit(for: context) { change in
            let old = try Self.role(id, change.draft)
            var role = old
            role.permissions.subtract(permissions)
            try Self.put(role, over: old, &change)
        }
    }

    /// Members sorted by id: at most `limit`, after `after` and the first `skip`. `total` counts all members.
    package func members(
        of id: RoleID, in tenant: TenantID, after: UserID?, skip: Int, limit: Int
    ) async throws -> (users: [User], total: Int) {
        try await store.read { reader in
            _ = try reader.find(Role.self, id.rawValue, of: tenant).orUnknown(.role)
            return (
                try reader.members(of: id, in: tenant, after: after, skip: skip, limit: limit),
                try reader.memberCount(of: id, in: tenant)
            )
        }
    }

    package func assign(_ roles: [RoleID], to users: [UserID], for context: AdministrativeContext) async throws {
        try await changeRoles(of: users, for: context) { change, held in
            for role in roles {
                _ = try change.reader.find(Role.self, role.rawValue, of: context.tenant).orUnknown(.role)
            }
            return held + roles.filter { !held.contains($0) }
        }
    }

    package func take(_ roles: [RoleID], from users: [UserID], for context: AdministrativeContext) async throws {
        try await changeRoles(of: users, for: context) { _, held in held.filter { !roles.contains($0) } }
    }

    private func changeRoles(
        of users: [UserID], for context: AdministrativeContext,
        _ changed: @escaping @Sendable (UserChange, [RoleID]) throws -> [RoleID]
    ) async throws {
        try await store.change(for: context) { change in
            for id in users {
                let person = try change.user(id).orUnknown(.user)
                let roles = try changed(change, person.user.roles)
                guard roles != person.user.roles else { continue }
                try person.put(roles: roles)
                try change.record(.changed, .user, id.rawValue, fields: ["roles"], user: id)
            }
        }
    }

    private static func role(_ id: RoleID, _ draft: Draft) throws -> Role {
        try draft.find(Role.self, id.rawValue).orUnknown(.role)
    }

    private static func checkName(of role: Role, _ draft: Draft) throws {
        let others = try draft.all(Role.self)
        if others.contains(where: { $0.name == role.name && $0.id != role.id }) {
            throw AdministrationFailure.conflict(.role, same: "name")
        }
    }

    private static func put(_ role: Role, over old: Role, _ change: inout ConfigurationChange) throws {
        try change.requireRights(of: old)
        try change.requireRights(of: role)
        change.draft.put(role)
        change.record(.role, role.id.rawValue, from: old.document, to: role.document)
    }

    /// Accepts only scopes of APIs, which `find` finds by their identifier.
    static func check(
        _ permission: Role.Permission, _ find: (String) throws -> ResourceServer?
    ) throws {
        let identifier = permission.resourceServer
        guard let api = try find(identifier) else {
            throw AdministrationFailure.invalid(
                "permissions", "must be scopes of APIs, and there is no API \(identifier)")
        }
        guard api.scopes.contains(where: { $0.value == permission.scope }) else {
            throw AdministrationFailure.invalid(
                "permissions", "must be scopes of APIs, and \(permission.scope) is no scope of \(identifier)")
        }
    }
}

extension ConfigurationChange {
    /// Refuses to make, change or remove a role with Management API scopes that the administrator lacks.
    func requireRights(of role: Role) throws {
        if context.isOperator || role.permissions.isEmpty { return }
        let tenant = try draft.tenant().orUnknown(.tenant)
        try context.requireOwn(
            tenant.managementScopes(in: role.permissions), to: "changing a role with scopes of the Management API")
    }
}

extension Managers {
    package var roles: ManageRoles { ManageRoles(store: store, random: random) }
}
