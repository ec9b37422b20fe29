import Administration
import AuthorizationCore
import CountersignServer
import Primitives
import Terminal

extension Command {
    static var roles: Command {
        ObjectCommands(
            name: "role", kind: .role, summary: "Look after roles: sets of permissions that users can have.",
            examples: [
                Example("make one", "countersign role create --name Payments --description 'May pay'"),
                Example(
                    "let it permit a scope",
                    "countersign role permit rol_sW4J0OcmNTTqGIrX --api https://api.example.com/ --scope payments:make"),
                Example("give it to a user", "countersign role assign rol_sW4J0OcmNTTqGIrX --user 'auth0|65f0'"),
            ],
            columns: [
                ObjectCommands.Column(heading: "ROLE", member: "id"),
                ObjectCommands.Column(heading: "NAME", member: "name"),
                ObjectCommands.Column(heading: "DESCRIPTION", member: "description"),
            ],
            operand: "ROLE",
            members: [("name", "What people call it."), ("description", "What it is for.")],
            list: { scene in try await scene.installation.roles.list(scene.tenant.id).map(\.document) },
            show: { scene, id in try await scene.installation.roles.role(RoleID(id), of: scene.tenant.id).document },
            create: { scene, document in
                try await scene.installation.roles.create(document, for: scene.errand).document
            },
            update: { scene, id, patch in
                try await scene.installation.roles.update(RoleID(id), patch, for: scene.errand).document
            },
            delete: { scene, id in try await scene.installation.roles.remove(RoleID(id), for: scene.errand) },
            further: [
                permission("permit", "Let a role permit scopes of an API.") {
                    try await $0.add($1, to: $2, for: $3)
                },
                permission("forbid", "Let a role permit scopes of an API no more.") {
                    try await $0.remove($1, from: $2, for: $3)
                },
                membership("assign", "Give a role to users.") { try await $0.assign([$1], to: $2, for: $3) },
                membership("take", "Take a role from users.") { try await $0.take([$1], from: $2, for: $3) },
            ]
        ).command
    }

    private static let id = Option<String>.argument("ROLE", .string, "Which role.")

    private static func permission(
        _ name: String, _ summary: String,
        _ change: @escaping @Sendable (ManageRoles, Set<Role.Permission>, RoleID, Errand) async throws -> Void
    ) -> Command {
        let api = Option<String>.required("api", .string.placeholder("IDENTIFIER"), "The API's identifier.")
        let scopes = Option<[String]>.repeated(
            "scope", .string.placeholder("SCOPE"), "One of its scopes; may be repeated.")
        return ObjectCommands.work(name, summary, [id.declaration, api.declaration, scopes.declaration]) {
            scene, invocation in
            let api = try invocation[api]
            let permissions = Set(try invocation[scopes].map { Role.Permission(resourceServer: api, scope: $0) })
            guard !permissions.isEmpty else { throw UsageError("--scope is required") }
            let id = RoleID(try invocation[id])
            try await change(scene.installation.roles, permissions, id, scene.errand)
            try ObjectCommands.print(
                try await scene.installation.roles.role(id, of: scene.tenant.id).document, invocation)
        }
    }

    private static func membership(
        _ name: String, _ summary: String,
        _ change: @escaping @Sendable (ManageRoles, RoleID, [UserID], Errand) async throws -> Void
    ) -> Command {
        let users = Option<[String]>.repeated(
            "user", short: "u", .string.placeholder("USER"), "A user's id; may be repeated.")
        return ObjectCommands.work(name, summary, [id.declaration, users.declaration]) { scene, invocation in
            let users = try invocation[users].map { UserID($0) }
            guard !users.isEmpty else { throw UsageError("--user is required") }
            try await change(scene.installation.roles, RoleID(try invocation[id]), users, scene.errand)
            invocation.output.line("done")
        }
    }
}
