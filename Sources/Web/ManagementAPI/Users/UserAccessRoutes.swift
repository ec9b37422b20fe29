import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

/// `/users/{id}/roles` and `/users/{id}/permissions`: a user's rights.
struct UserAccessRoutes: Sendable {
    private static let group = RouteGroup("Users", scopes: "users")

    let users: ManageUsers
    let roles: ManageRoles
    let access: ManageUserAccess

    var all: [ManagementRoute] { roleRoutes + permissionRoutes }

    private var roleRoutes: [ManagementRoute] {
        func body(_ verb: String) -> Operation.Body {
            let scopes = [["update:users"], ["\(verb):role_members"]]
            return Operation.Body(UserShapes.roles(needing: scopes), example: UserShapes.rolesExample)
        }
        let listing = Operation.Answer(200, "The roles", Listing.shape("roles", of: RoleShapes.role))
        return [
            ManagementRoute(
                .get, "/users/{id}/roles", "list_user_roles", "List the roles of a user", in: Self.group,
                scopes: [["read:users", "read:roles"], ["read:users", "read:role_members"]],
                parameters: Paging.parameters, answer: listing, listRoles),
            ManagementRoute(
                .post, "/users/{id}/roles", "add_user_roles", "Give roles to a user", in: Self.group,
                scopes: [["update:users"], ["create:role_members"]], body: body("create"),
                answer: Operation.Answer(204, "Done")
            ) { call in
                try await roles.assign(
                    call.required("roles", UserShapes.roles), to: [UserID(call.id())], for: call.context)
            },
            ManagementRoute(
                .delete, "/users/{id}/roles", "remove_user_roles", "Take roles from a user", in: Self.group,
                scopes: [["update:users"], ["delete:role_members"]], body: body("delete"),
                answer: Operation.Answer(204, "Done")
            ) { call in
                try await roles.take(
                    call.required("roles", UserShapes.roles), from: [UserID(call.id())], for: call.context)
            },
            ManagementRoute(
                .get, "/users/{id}/effective-roles", "list_user_effective_roles",
                "List a user's effective roles; this server has only direct ones", in: Self.group,
                scopes: [["read:user_effective_roles"]], parameters: Paging.parameters, answer: listing, listRoles),
        ]
    }

    private var permissionRoutes: [ManagementRoute] {
        let body = Operation.Body(
            RoleShapes.permissions(needing: [["update:users"]]), example: RoleShapes.permissionsExample)
        let listing = Operation.Answer(
            200, "The permissions", Listing.shape("permissions", of: UserShapes.heldPermission))
        return [
            ManagementRoute(
                .get, "/users/{id}/permissions", "list_user_permissions",
                "List a user's permissions, direct and from roles", in: Self.group,
                parameters: Paging.parameters, answer: listing, listPermissions),
            ManagementRoute(
                .post, "/users/{id}/permissions", "add_user_permissions", "Add direct permissions to a user",
                in: Self.group, scopes: [["update:users"]], body: body,
                answer: Operation.Answer(201, "An empty object", .anyObject, example: [:])
            ) { call in
                try await access.add(
                    call.required("permissions", .permissions), to: UserID(call.id()), for: call.context)
                return .value([:], status: 201)
            },
            ManagementRoute(
                .delete, "/users/{id}/permissions", "remove_user_permissions", "Remove direct permissions from a user",
                in: Self.group, scopes: [["update:users"]], body: body, answer: Operation.Answer(204, "Done")
            ) { call in
                try await access.remove(
                    call.required("permissions", .permissions), from: UserID(call.id()), for: call.context)
            },
            ManagementRoute(
                .get, "/users/{id}/effective-permissions", "list_user_effective_permissions",
                "List a user's permissions for one API, or for all APIs", in: Self.group,
                scopes: [["read:user_effective_permissions"]],
                parameters: [
                    Operation.Parameter(
                        "resource_server_identifier", in: .query, .text(1...600), "The audience of the API")
                ] + Paging.parameters, answer: listing, listPermissions),
        ]
    }

    @Sendable private func listRoles(_ call: ManagementCall) async throws -> ManagementAnswer {
        let held = try await users.user(UserID(call.id()), of: call.tenant).user.roles
        let known = held.compactMap { call.configuration.roles[$0] }
            .sorted { ($0.name, $0.id.rawValue) < ($1.name, $1.id.rawValue) }
        return .list(Listing("roles", of: known, call.paging, key: \.id.rawValue, RoleShapes.json))
    }

    @Sendable private func listPermissions(_ call: ManagementCall) async throws -> ManagementAnswer {
        let user = try await users.user(UserID(call.id()), of: call.tenant).user
        let api = call.query["resource_server_identifier"]?.stringValue
        let held = HeldPermission.all(of: user, roles: call.configuration.roles)
            .filter { api == nil || $0.permission.resourceServer == api }
        return .list(
            Listing(
                "permissions", of: held, call.paging,
                key: { "\($0.permission.resourceServer)\n\($0.permission.scope)" }
            ) { UserShapes.json($0, call.configuration) })
    }
}
