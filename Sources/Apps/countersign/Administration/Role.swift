import Administration
import AuthorizationCore
import Configuration
import CountersignServer
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
            members: DocumentOptions.members(Role.fields),
            list: { target, _ in
                ObjectCommands.Listing(try await target.roles.list(target.tenant.id).map(\.document))
            },
            show: { target, id in try await target.roles.role(RoleID(id), of: target.tenant.id).document },
            details: { target, id in
                let role = try await target.roles.role(RoleID(id), of: target.tenant.id)
                return [.permissions(of: role)]
            },
            create: { target, document in
                try await target.roles.create(document, for: target.context).document
            },
            update: { target, id, patch in
                try await target.roles.update(RoleID(id), patch, for: target.context).document
            },
            delete: { target, id in try await target.roles.remove(RoleID(id), for: target.context) },
            further: [
                permission("permit", "Add scopes of an API to a role.", example: "permit a scope") {
                    try await $0.add($1, to: $2, for: $3)
                },
                permission("forbid", "Remove scopes of an API from a role.", example: "remove a scope from a role") {
                    try await $0.remove($1, from: $2, for: $3)
                },
                membership("assign", "Give a role to users.", example: "give it to", done: "has the role") {
                    try await $0.assign([$1], to: $2, for: $3)
                },
                membership("take", "Take a role from users.", example: "take it from", done: "does not have the role") {
                    try await $0.take([$1], from: $2, for: $3)
                },
                members,
            ]
        ).command
    }

    private static let id = Option<String>.argument("ROLE", .string, "Id of the role.")

    private static func permission(
        _ name: String, _ summary: String, example: String,
        _ change:
            @escaping @Sendable (ManageRoles, Set<Role.Permission>, RoleID, AdministrativeContext) async throws -> Void
    ) -> Command {
        ObjectCommands.permission("role \(name)", summary, id, example: Example(example, "rol_sW4J0OcmNTTqGIrX")) {
            target, id, permissions, invocation in
            try await change(target.roles, permissions, RoleID(id), target.context)
            let role = try await target.roles.role(RoleID(id), of: target.tenant.id)
            try ObjectCommands.print(role.document, details: [.permissions(of: role)], invocation)
        }
    }

    private static func membership(
        _ name: String, _ summary: String, example: String, done: String,
        _ change: @escaping @Sendable (ManageRoles, RoleID, [UserID], AdministrativeContext) async throws -> Void
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
            var users: [UserID] = []
            for name in names { users.append(try await target.userID(name)) }
            // Fails for an unknown role, which removal alone would ignore.
            let role = try await target.roles.role(RoleID(try invocation[id]), of: target.tenant.id)
            try await change(target.roles, role.id, users, target.context)
            try ObjectCommands.print(
                ["role_id": .string(role.id.rawValue), "user_ids": JSONValue(users.map(\.rawValue))],
                users.map { "\($0) \(done) \(role.name)" }, invocation)
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
            let id = RoleID(try invocation[id])
            let limit = try invocation[ObjectCommands.limit] ?? .max
            var users: [User] = []
            var total = 0
            repeat {
                let part = try await target.roles.members(
                    of: id, in: target.tenant.id, after: users.last?.id, skip: 0, limit: min(1000, limit - users.count))
                total = part.total
                users += part.users
                // Ends at an empty part, since users may be deleted meanwhile.
                guard !part.users.isEmpty else { break }
            } while users.count < min(total, limit)
            try ObjectCommands.print(
                ObjectCommands.Listing(users.map(\.summary), total: total),
                columns: ["USER": "user_id", "NAME": "name", "EMAIL": "email"], invocation)
        }
    }
}

extension ObjectCommands {
    /// A command that adds permissions to an object or removes some, which `--api` and `--scope` name. The example's line
    /// is the object's id.
    static func permission(
        _ words: String, _ summary: String, _ id: Option<String>, example: Command.Example,
        _ change: @escaping @Sendable (Target, String, Set<Role.Permission>, Invocation) async throws -> Void
    ) -> Command {
        let api = Option<String>.required("api", .string.placeholder("IDENTIFIER"), "The API's identifier.")
        let scopes = Option<[String]>.repeated("scope", .string.placeholder("SCOPE"), "One of its scopes.")
        let line = "countersign \(words) \(example.line) --api https://api.example.com/ --scope payments:make"
        return work(
            String(words.split(separator: " ").last ?? ""), summary, [id, api, scopes],
            examples: [example.purpose: line]
        ) { target, invocation in
            let api = try invocation[api]
            let permissions = try invocation[scopes].map { Role.Permission(resourceServer: api, scope: $0) }
            guard !permissions.isEmpty else { throw UsageError("--scope is required") }
            try await change(target, try invocation[id], Set(permissions), invocation)
        }
    }
}

extension ObjectCommands.Target {
    fileprivate var roles: ManageRoles { installation.roles }
}

extension ObjectCommands.Detail {
    fileprivate static func permissions(of role: Role) -> ObjectCommands.Detail {
        ObjectCommands.Detail(
            name: "permissions", json: role.document["permissions"] ?? [],
            lines: role.permissions.sorted { ($0.resourceServer, $0.scope) < ($1.resourceServer, $1.scope) }
                .map { "\($0.scope) at \($0.resourceServer)" })
    }
}

extension User {
    fileprivate var summary: JSONObject {
        var summary: JSONObject = ["user_id": .string(id.rawValue)]
        summary["name"] = name.map(JSONValue.string)
        summary["email"] = email.map { .string($0.description) }
        return summary
    }
}
