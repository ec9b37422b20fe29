import AuthorizationCore
import Configuration
import CountersignServer
import HTTPModel
import Primitives
import Terminal

extension Command {
    static var users: Command {
        ObjectCommands(
            name: "user", kind: .user, summary: "Manage users: the people who approve requests and log in.",
            example: "'auth0|65f0'",
            createExamples: [
                "make one":
                    "countersign user create --email hanna@shop.example --name 'Hanna Herwitz' --file password.json",
                "with metadata":
                    #"countersign user create --email ann@shop.example --set 'app_metadata={"plan":"pro"}'"#,
            ],
            updateExamples: [
                "lock one out": "countersign user update 'auth0|65f0' --set blocked=true",
                "delete a member": "countersign user update 'auth0|65f0' --set family_name=null",
            ],
            columns: [
                "USER": "user_id", "NAME": "name", "EMAIL": "email", "LAST LOGIN": "last_login", "BLOCKED": "blocked",
            ],
            members: DocumentOptions.members(User.profile) + [
                DocumentOptions.Member("connection", "The user's connection. Default: the tenant's database.")
            ],
            path: "/users", collection: "users", list: { try await found(nil, in: $0, limit: $1) },
            id: { try await $0.userID($1) },
            complete: { document in
                var document = document
                if document["connection"] == nil {
                    document["connection"] = .string(LoginConnection.defaultDatabaseName)
                }
                return document
            },
            details: access,
            further: [
                search, userImport, userExport,
                permission(
                    "permit", "Give a user permissions for an API in addition to those of roles.",
                    example: "give a user a scope", .post),
                permission(
                    "forbid", "Remove permissions given to a user directly. Permissions of roles stay.",
                    example: "remove a scope from a user", .delete),
                blocks, unblock,
            ]
        ).command
    }

    private static var search: Command {
        let query = Option<String>.argument(
            "QUERY", .string, "In Lucene's syntax, such as name:han* or email:\"a@b.c\".")
        return ObjectCommands.work(
            "search", "Find users by their attributes, including metadata.",
            [query, ObjectCommands.limit],
            examples: [
                "by name and metadata": "countersign user search 'name:han* AND app_metadata.plan:pro'",
                "by a part of the name": "countersign user search 'name:*herw*'",
                "find users who never logged in": "countersign user search 'NOT _exists_:last_login' --limit 20",
            ]
        ) { target, invocation in
            let limit = try invocation[ObjectCommands.limit] ?? .max
            try ObjectCommands.print(
                try await found(try invocation[query], in: target, limit: limit),
                columns: ["USER": "user_id", "NAME": "name", "EMAIL": "email", "CREATED": "created_at"],
                invocation)
        }
    }

    /// Counting reads every match, so it is done only if some are left out. Fails for a malformed query, with the position.
    private static func found(
        _ query: String?, in target: ManagedTenant, limit: Int
    ) async throws -> ObjectCommands.Listing {
        let pairs: KeyValuePairs<String, String> = query.map { ["q": $0] } ?? [:]
        let (users, isComplete) = try await target.parts("/users", key: "users", query: pairs, limit: limit)
        let total = isComplete ? nil : try await target.count("/users", query: pairs)
        return ObjectCommands.Listing(users, total: total)
    }
}

/// Commands for users' permissions.
extension Command {
    private static func permission(
        _ name: String, _ summary: String, example: String, _ method: HTTPMethod
    ) -> Command {
        let id = Option<String>.argument("USER", .string, "The user's id, verified e-mail address or phone number.")
        return ObjectCommands.permission("user \(name)", summary, id, example: Example(example, "'auth0|65f0'")) {
            target, name, permissions, invocation in
            let user = try await target.userID(name)
            try await target.send(method, "/users/{id}/permissions", [user], permissions)
            let shown: JSONObject = ["user_id": .string(user)]
            try ObjectCommands.print(shown, details: try await access(target, shown), invocation)
        }
    }

    /// The user's phones, roles, every permission with its source, and what became of the last messages.
    @Sendable private static func access(
        _ target: ManagedTenant, _ user: JSONObject
    ) async throws -> [ObjectCommands.Detail] {
        let id = user["user_id"]?.stringValue ?? ""
        let roles = try await target.pages("/users/{id}/roles", id, key: "roles").objects
        let held = try await target.pages("/users/{id}/permissions", id, key: "permissions").objects
        let phones = try await target.phones(of: id)
        let deliveries = try await target.parts(
            "/deliveries", key: "deliveries", query: ["user_id": id], limit: 5
        ).objects
        return [
            ObjectCommands.Detail(name: "phones", json: .array(phones.map(\.json)), lines: phones.map(\.summary)),
            ObjectCommands.Detail(
                name: "roles", json: .array(roles.map { ["id": $0["id"] ?? "", "name": $0["name"] ?? ""] }),
                lines: roles.map { "\($0["name"]?.stringValue ?? "") (\($0["id"]?.stringValue ?? ""))" }),
            ObjectCommands.Detail(
                name: "permissions", json: .array(held.map(\.heldPermission)), lines: held.map(\.heldSummary)),
            ObjectCommands.Detail(
                name: "deliveries", json: .array(deliveries.map(JSONValue.object)), lines: deliveries.map(\.delivery)),
        ]
    }
}

extension JSONObject {
    fileprivate var delivery: String {
        let tries = self["attempts"]?.intValue ?? 0
        let parts = ["created_at", "queue", "state"].compactMap { self[$0]?.stringValue }
        return
            ([parts.joined(separator: " ")] + (tries == 0 ? [] : ["tries: \(tries)"])
            + (self["last_error"]?.stringValue.map { [$0] } ?? [])).joined(separator: ", ")
    }

    /// A permission with its sources, without the texts of its API.
    fileprivate var heldPermission: JSONValue {
        var held = JSONObject()
        for name in ["resource_server_identifier", "permission_name", "sources"] { held[name] = self[name] }
        return .object(held)
    }

    fileprivate var heldSummary: String {
        let sources = (self["sources"]?.arrayValue ?? []).map { source in
            source["source_type"] == "DIRECT" ? "directly" : "by \(source["source_name"]?.stringValue ?? "")"
        }
        return "\(self["permission_name"]?.stringValue ?? "") at "
            + "\(self["resource_server_identifier"]?.stringValue ?? ""), \(sources.joined(separator: " and "))"
    }
}
