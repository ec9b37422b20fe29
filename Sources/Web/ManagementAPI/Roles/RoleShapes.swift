import Administration
import AuthorizationCore
import Configuration
import JSONSchema
import Primitives

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
