import AuthorizationCore
import Configuration
import CountersignServer
import HTTPModel
import Primitives
import Terminal

extension Command {
    static var roles: Command {
        ObjectCommands(
            name: "role", kind: .role, summary: "Manage roles: sets of permissions for users.",
            example: "rol_sW4J0OcmNTTqGIrX",
            createExamples: ["make one": "countersign role create --name Refunds --description 'May pay back'"],
            updateExamples: [
                "describe it": "countersign role update rol_sW4J0OcmNTTqGIrX --description 'May pay what users approve'"
            ],
            columns: ["ROLE": "id", "NAME": "name", "DESCRIPTION": "description"],
            members: DocumentOptions.members(Role.fields), path: "/roles", collection: "roles",
            whole: { target, role in
                var role = role
                role["permissions"] = .array(try await target.permissions(of: role).map(JSONValue.object))
                return role
            },
            details: { [.permissions(of: $1)] },
            further: [
                permission("permit", "Add scopes of an API to a role.", example: "permit a scope", .post),
                permission(
                    "forbid", "Remove scopes of an API from a role.", example: "remove a scope from a role", .delete),
                membership("assign", "Give a role to users.", example: "give it to", done: "has the role") {
                    try await $0.send(.post, "/roles/{id}/users", [$1], ["users": JSONValue($2)])
                },
                membership("take", "Take a role from users.", example: "take it from", done: "does not have the role") {
                    for user in $2 { try await $0.send(.delete, "/users/{id}/roles", [user], ["roles": [.string($1)]]) }
                },
                members,
            ]
        ).command
    }

    private static let id = Option<String>.argument("ROLE", .string, "Id of the role.")

    private static func permission(
        _ name: String, _ summary: String, example: String, _ method: HTTPMethod
    ) -> Command {
        ObjectCommands.permission("role \(name)", summary, id, example: Example(example, "rol_sW4J0OcmNTTqGIrX")) {
            target, id, permissions, invocation in
            try await target.send(method, "/roles/{id}/permissions", [id], permissions)
            var role = try await target.get("/roles/{id}", id)
            role["permissions"] = .array(try await target.permissions(of: role).map(JSONValue.object))
            try ObjectCommands.print(role, details: [.permissions(of: role)], invocation)
        }
    }

    private static func membership(
        _ name: String, _ summary: String, example: String, done: String,
        _ change: @escaping @Sendable (ManagedTenant, _ role: String, _ users: [String]) async throws -> Void
    ) -> Command {
        let names = Option<[String]>.repeated(
            "user", short: "u", .string.placeholder("USER"), "A user's id, verified e-mail address or phone number.")
        return ObjectCommands.work(
            name, summary, [id, names],
            examples: [
                "\(example) one user": "countersign role \(name) rol_sW4J0OcmNTTqGIrX --user 'auth0|65f0'",
                "\(example) several": "countersign role \(name) rol_sW4J0OcmNTTqGIrX -u 'auth0|65f0' -u 'auth0|65f1'",
            ]
        ) { target, invocation in
            let names = try invocation[names]
            guard !names.isEmpty else { throw UsageError("--user is required") }
            var users: [String] = []
            for name in names { users.append(try await target.userID(name)) }
            let id = try invocation[id]
            // Fails for an unknown role, which removal alone would ignore.
            let role = try await target.get("/roles/{id}", id)["name"]?.stringValue ?? ""
            try await change(target, id, users)
            try ObjectCommands.print(
                ["role_id": .string(id), "user_ids": JSONValue(users)], users.map { "\($0) \(done) \(role)" },
                invocation)
        }
    }

    private static var members: Command {
        ObjectCommands.work(
            "members", "Show the users who have a role.", [id, ObjectCommands.limit],
            examples: [
                "list its users": "countersign role members rol_sW4J0OcmNTTqGIrX",
                "for a program": "countersign role members rol_sW4J0OcmNTTqGIrX --json",
            ]
        ) { target, invocation in
            let id = try invocation[id]
            let limit = try invocation[ObjectCommands.limit] ?? .max
            // Fails for an unknown role.
            _ = try await target.get("/roles/{id}", id)
            let (users, isComplete) = try await target.parts("/roles/{id}/users", id, key: "users", limit: limit)
            let total = isComplete ? nil : try await target.count("/roles/{id}/users", id)
            let shown = users.map { user in
                var user = user
                user["picture"] = nil
                return user
            }
            try ObjectCommands.print(
                ObjectCommands.Listing(shown, total: total),
                columns: ["USER": "user_id", "NAME": "name", "EMAIL": "email"], invocation)
        }
    }
}

extension ObjectCommands {
    /// A command that adds permissions to an object or removes some, which `--api` and `--scope` name. `change` gets them
    /// as a body. The example's line is the object's id.
    static func permission(
        _ words: String, _ summary: String, _ id: Option<String>, example: Command.Example,
        _ change: @escaping @Sendable (ManagedTenant, String, JSONObject, Invocation) async throws -> Void
    ) -> Command {
        let api = Option<String>.required("api", .string.placeholder("IDENTIFIER"), "The API's identifier.")
        let scopes = Option<[String]>.repeated("scope", .string.placeholder("SCOPE"), "One of its scopes.")
        let line = "countersign \(words) \(example.line) --api https://api.example.com/ --scope payments:make"
        return work(
            String(words.split(separator: " ").last ?? ""), summary, [id, api, scopes],
            examples: [example.purpose: line]
        ) { target, invocation in
            let api = try invocation[api]
            let permissions = try invocation[scopes].map { scope -> JSONValue in
                ["resource_server_identifier": .string(api), "permission_name": .string(scope)]
            }
            guard !permissions.isEmpty else { throw UsageError("--scope is required") }
            try await change(target, try invocation[id], ["permissions": .array(permissions)], invocation)
        }
    }
}

extension ManagedTenant {
    /// Permissions of a role, without the texts of their APIs.
    fileprivate func permissions(of role: JSONObject) async throws -> [JSONObject] {
        let id = role["id"]?.stringValue ?? ""
        return try await pages("/roles/{id}/permissions", id, key: "permissions").objects.map { permission in
            permission.members.reduce(into: JSONObject()) { kept, member in
                if ["resource_server_identifier", "permission_name"].contains(member.name) {
                    kept[member.name] = member.value
                }
            }
        }
    }
}

extension ObjectCommands.Detail {
    fileprivate static func permissions(of role: JSONObject) -> ObjectCommands.Detail {
        let permissions = role["permissions"]?.arrayValue ?? []
        return ObjectCommands.Detail(
            name: "permissions", json: .array(permissions),
            lines: permissions.map { permission in
                let scope = permission["permission_name"]?.stringValue ?? ""
                return "\(scope) at \(permission["resource_server_identifier"]?.stringValue ?? "")"
            })
    }
}
