import APIDescription
import Administration
import AuthorizationCore
import Primitives

/// Wire format of roles.
enum RoleShapes {
    static let name = Member("name", .text(1...255), "What people call it")
    static let description = Member("description", .text(0...1000), "What it is for")

    static let role = Shape.object([
        .required("id", .text(), "rol_ and 16 characters"), .required("name", .text()),
        .required("description", .text()),
    ])

    static let create = Shape.object([.required("name", name.shape), description.clearable])
    static let update = Shape.object([name, description.clearable])

    static let example: JSONValue = [
        "id": "rol_sW4J0OcmNTTqGIrX", "name": "Payments", "description": "May make payments",
    ]

    static let permission = Shape.object([
        .required("resource_server_identifier", .text(1...600), "The audience of the API"),
        .required("permission_name", .text(1...255), "One of its scopes"),
    ])

    /// `scopes` are the operation's scopes.
    static func permissions(needing scopes: [[String]]) -> Shape {
        .object([Member.required("permissions", .list(permission, 1...100)).needing(scopes)])
    }

    static let permissionsExample: JSONValue = [
        "permissions": [
            ["resource_server_identifier": "https://api.example.com/", "permission_name": "payments:make"]
        ]
    ]

    static let users = Shape.object([
        .required("users", .list(.text(1...255), 1...ManageRoles.assignmentLimit))
    ])

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
        json["email"] = member.email.map(JSONValue.string)
        json["name"] = member.name.map(JSONValue.string)
        json["picture"] = member.picture.map(JSONValue.string)
        return json
    }

    /// Permissions listed in a body.
    static func permissions(_ document: JSONObject) -> Set<Role.Permission> {
        Set(
            (document["permissions"]?.arrayValue ?? []).compactMap { entry in
                guard let api = entry["resource_server_identifier"]?.stringValue,
                    let scope = entry["permission_name"]?.stringValue
                else { return nil }
                return Role.Permission(resourceServer: api, scope: scope)
            })
    }
}
