import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

/// `/roles`: sets of permissions, and the users who have them.
struct RoleRoutes: Sendable {
    private static let group = RouteGroup("Roles", scopes: "roles")

    let roles: ManageRoles

    var all: [ManagementRoute] {
        [
            ManagementRoute(
                .get, "/roles", "list_roles", "List roles", in: Self.group,
                parameters: [
                    Operation.Parameter("name_filter", in: .query, .text(0...255), "Part of the name; case is ignored")
                ] + Paging.parameters + Projection.parameters,
                answer: Operation.Answer(200, "The roles", Listing.shape("roles", of: RoleShapes.role)), list),
            ManagementRoute(
                .post, "/roles", "create_role", "Create a role", in: Self.group,
                body: Operation.Body(RoleShapes.create, example: ["name": "Payments", "description": "May pay"]),
                answer: Operation.Answer(200, "The role", RoleShapes.role, example: RoleShapes.example),
                refusals: [(409, "Another role has that name")], create),
            ManagementRoute(
                .get, "/roles/{id}", "get_role", "Show a role", in: Self.group, parameters: Projection.parameters,
                answer: Operation.Answer(200, "The role", RoleShapes.role, example: RoleShapes.example)
            ) { call in .object(RoleShapes.json(try await roles.role(RoleID(call.id()), of: call.tenant))) },
            ManagementRoute(
                .patch, "/roles/{id}", "update_role", "Change a role", in: Self.group,
                body: Operation.Body(RoleShapes.update, example: ["description": "May make payments"]),
                answer: Operation.Answer(200, "The role", RoleShapes.role, example: RoleShapes.example),
                refusals: [(409, "Another role has that name")], update),
            ManagementRoute(
                .delete, "/roles/{id}", "delete_role", "Delete a role, also from its users", in: Self.group,
                answer: Operation.Answer(200, "An empty object", .anyObject, example: [:])
            ) { call in
                try await removing(.role) { try await roles.remove(RoleID(call.id()), for: call.context) }
                return .value([:])
            },
        ] + permissionRoutes + memberRoutes
    }

    private var permissionRoutes: [ManagementRoute] {
        let body = Operation.Body(
            RoleShapes.permissions(needing: [["update:roles"]]), example: RoleShapes.permissionsExample)
        return [
            ManagementRoute(
                .get, "/roles/{id}/permissions", "list_role_permissions", "List the permissions of a role",
                in: Self.group, parameters: Paging.parameters,
                answer: Operation.Answer(
                    200, "The permissions", Listing.shape("permissions", of: RoleShapes.grantedPermission)),
                listPermissions),
            ManagementRoute(
                .post, "/roles/{id}/permissions", "add_role_permissions", "Add permissions to a role", in: Self.group,
                scopes: [["update:roles"]], body: body,
                answer: Operation.Answer(201, "An empty object", .anyObject, example: [:])
            ) { call in
                try await roles.add(
                    call.required("permissions", .permissions), to: RoleID(call.id()), for: call.context)
                return .value([:], status: 201)
            },
            ManagementRoute(
                .delete, "/roles/{id}/permissions", "remove_role_permissions", "Remove permissions from a role",
                in: Self.group, scopes: [["update:roles"]], body: body, answer: Operation.Answer(204, "Done")
            ) { call in
                try await roles.remove(
                    call.required("permissions", .permissions), from: RoleID(call.id()), for: call.context)
            },
        ]
    }

    private var memberRoutes: [ManagementRoute] {
        [
            ManagementRoute(
                .get, "/roles/{id}/users", "list_role_users", "List the users with a role", in: Self.group,
                scopes: [["read:users", "read:roles"], ["read:role_members"]], parameters: Paging.parameters,
                answer: Operation.Answer(200, "The users", Listing.shape("users", of: RoleShapes.member)), listMembers),
            ManagementRoute(
                .post, "/roles/{id}/users", "add_role_users", "Give a role to users", in: Self.group,
                scopes: [["update:roles"], ["create:role_members"]],
                body: Operation.Body(
                    .object([Member.required("users", RoleShapes.users.shape).protecting(.identity)]),
                    example: ["users": ["auth0|65f0c1d2e3a4b5c6d7e8f901"]]),
                answer: Operation.Answer(200, "An empty object", .anyObject, example: [:])
            ) { call in
                let users = try call.required("users", RoleShapes.users)
                try await roles.assign([RoleID(call.id())], to: users, for: call.context)
                return .value([:])
            },
        ]
    }

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        let found = try await roles.list(call.tenant, nameContains: call.query["name_filter"]?.stringValue)
        return .list(Listing("roles", of: found, call.paging, key: \.id.rawValue, RoleShapes.json))
    }

    @Sendable private func create(_ call: ManagementCall) async throws -> ManagementAnswer {
        .object(RoleShapes.json(try await roles.create(call.document, for: call.context)))
    }

    @Sendable private func update(_ call: ManagementCall) async throws -> ManagementAnswer {
        .object(RoleShapes.json(try await roles.update(RoleID(call.id()), call.document, for: call.context)))
    }

    @Sendable private func listPermissions(_ call: ManagementCall) async throws -> ManagementAnswer {
        let permissions = try await roles.role(RoleID(call.id()), of: call.tenant).permissions
            .sorted { ($0.resourceServer, $0.scope) < ($1.resourceServer, $1.scope) }
        return .list(
            Listing(
                "permissions", of: permissions, call.paging, key: { "\($0.resourceServer)\n\($0.scope)" }
            ) { RoleShapes.json($0, call.configuration) })
    }

    @Sendable private func listMembers(_ call: ManagementCall) async throws -> ManagementAnswer {
        let id = RoleID(call.id())
        switch call.paging {
        case .checkpoint(let from, let take):
            let after = from.flatMap(Checkpoint.read).map { UserID($0) }
            let (users, _) = try await roles.members(of: id, in: call.tenant, after: after, skip: 0, limit: take + 1)
            let next = users.count > take ? Checkpoint.write(users[take - 1].id.rawValue) : nil
            return .list(Listing("users", users.prefix(take).map(RoleShapes.json), call.paging, next: next))
        case .offset(let page, let perPage, _):
            let (users, total) = try await roles.members(
                of: id, in: call.tenant, after: nil, skip: Paging.skipped(page, perPage), limit: perPage)
            return .list(Listing("users", users.map(RoleShapes.json), call.paging, total: total))
        }
    }
}

/// Wire format of roles.
enum RoleShapes {
    static let role = Shape.object([
        .required("id", .text(), "rol_ and 16 characters"), .required("name", .text()),
        .required("description", .text()),
    ])

    static let create = Shape.object(
        Role.fields.members(.create)
            + Auth0Members.roles.all.compactMap { path in
                path.first.map { Member($0, .anything).withoutEffect }
            })
    static let update = Shape.object(Role.fields.members(.update))

    static let example: JSONValue = [
        "id": "rol_sW4J0OcmNTTqGIrX", "name": "Payments", "description": "May make payments",
    ]

    static let permission = Shape.object(Role.Permission.fields.members(.create))

    /// `scopes` are the operation's scopes.
    static func permissions(needing scopes: [[String]]) -> Shape {
        .object([Member.required("permissions", .list(permission, 1...100)).protecting(.identity, scopes)])
    }

    static let permissionsExample: JSONValue = [
        "permissions": [
            ["resource_server_identifier": "https://api.example.com/", "permission_name": "payments:make"]
        ]
    ]

    static let users = FieldType<[UserID]>.ids(1...ManageRoles.assignmentLimit)

    static let grantedPermission = Shape.object(
        [
            .required("resource_server_identifier", .text()), .required("permission_name", .text()),
            Member("resource_server_name", .text()), Member("description", .text()),
        ])

    static let member = Shape.object([
        .required("user_id", .text()), Member("email", .text()), Member("name", .text()), Member("picture", .text()),
    ])

    static func json(_ role: Role) -> JSONObject {
        ["id": .string(role.id.rawValue), "name": .string(role.name), "description": .string(role.description)]
    }

    /// A permission with the display texts of its API and scope.
    static func json(_ permission: Role.Permission, _ configuration: TenantConfiguration) -> JSONObject {
        let api = configuration.resourceServers[permission.resourceServer]
        var json: JSONObject = [
            "resource_server_identifier": .string(permission.resourceServer),
            "permission_name": .string(permission.scope),
        ]
        json["resource_server_name"] = api.map { .string($0.name) }
        json["description"] = api?.scopes.first { $0.value == permission.scope }.map { .string($0.description) }
        return json
    }

    static func json(_ member: User) -> JSONObject {
        var json: JSONObject = ["user_id": .string(member.id.rawValue)]
        json["email"] = member.email.map { .string($0.description) }
        json["name"] = member.name.map(JSONValue.string)
        json["picture"] = member.picture.map(JSONValue.string)
        return json
    }
}
