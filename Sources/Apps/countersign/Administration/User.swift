import Administration
import AuthorizationCore
import Configuration
import CountersignServer
import Flows
import ManagementAPI
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
            list: { target, limit in try await found(nil, in: target, limit: limit) },
            show: { target, id in
                ManagementAPI.document(
                    of: try await target.installation.users.user(try await target.userID(id), of: target.tenant.id))
            },
            details: access,
            create: { target, document in
                var document = document
                if document["connection"] == nil {
                    document["connection"] = .string(LoginConnection.defaultDatabaseName)
                }
                return ManagementAPI.document(
                    of: try await target.installation.users.create(document, for: target.context))
            },
            update: { target, id, patch in
                ManagementAPI.document(
                    of: try await target.installation.users.update(
                        try await target.userID(id), patch, for: target.context)
                )
            },
            delete: { target, id in
                _ = try await target.installation.users.remove(try await target.userID(id), for: target.context)
            },
            further: [
                search, userImport, userExport,
                permission(
                    "permit", "Give a user permissions for an API in addition to those of roles.",
                    example: "give a user a scope"
                ) {
                    try await $0.add($1, to: $2, for: $3)
                },
                permission(
                    "forbid", "Remove permissions given to a user directly. Permissions of roles stay.",
                    example: "remove a scope from a user"
                ) {
                    try await $0.remove($1, from: $2, for: $3)
                },
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

    /// Reads users in parts, each after the last user of the one before, so that concurrent changes skip nobody. Throws
    /// for a malformed query, with the position.
    private static func found(
        _ query: String?, in target: ObjectCommands.Target, limit: Int
    ) async throws -> ObjectCommands.Listing {
        func part(_ next: String?, _ count: Int, countsTotal: Bool = false) async throws -> UserSearchResult {
            let request = SearchUsers.Request(
                query: query, part: .following(next, count: count), countsTotal: countsTotal)
            do {
                return try await target.installation.userSearch.search(request, tenant: target.tenant.id)
            } catch SearchUsers.Failure.query(let error) {
                throw CommandFailure(
                    "the query cannot be read: \(error)", hint: "docs/management.md has a table of the fields")
            }
        }
        var users: [JSONObject] = []
        var next: String?
        repeat {
            let result = try await part(next, min(SearchUsers.sizeLimit, limit - users.count))
            users += result.users.map(ManagementAPI.document)
            next = result.next?.opaque
        } while next != nil && users.count < limit
        // Counting reads every match, so it is done only if some are left out.
        let total = next == nil ? nil : try await part(nil, 1, countsTotal: true).total
        return ObjectCommands.Listing(users, total: total)
    }
}

/// Commands for users' permissions.
extension Command {
    private static func permission(
        _ name: String, _ summary: String, example: String,
        _ change:
            @escaping @Sendable (ManageUserAccess, Set<Role.Permission>, UserID, AdministrativeContext) async throws ->
            Void
    ) -> Command {
        let id = Option<String>.argument("USER", .string, "The user's id, verified e-mail address or phone number.")
        return ObjectCommands.permission("user \(name)", summary, id, example: Example(example, "'auth0|65f0'")) {
            target, name, permissions, invocation in
            let user = try await target.userID(name)
            try await change(target.installation.userAccess, permissions, user, target.context)
            try ObjectCommands.print(
                ["user_id": .string(user.rawValue)], details: try await access(target, user.rawValue), invocation)
        }
    }

    /// The user's roles, and every permission with its source.
    @Sendable private static func access(
        _ target: ObjectCommands.Target, _ id: String
    ) async throws -> [ObjectCommands.Detail] {
        let user = try await target.installation.user(id, in: target.tenant)
        let all = try await target.installation.roles.list(target.tenant.id)
        let held = HeldPermission.all(of: user, roles: Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { $1 }))
        let roles = all.filter { user.roles.contains($0.id) }
        let phones = try await target.phones(of: user.id)
        let deliveries = try await target.installation.deliveries.deliveries(
            .user(user.id), of: target.tenant.id, before: nil, limit: 5)
        return [
            ObjectCommands.Detail(name: "phones", json: .array(phones.map(\.json)), lines: phones.map(\.summary)),
            ObjectCommands.Detail(
                name: "roles", json: .array(roles.map { ["id": .string($0.id.rawValue), "name": .string($0.name)] }),
                lines: roles.map { "\($0.name) (\($0.id))" }),
            ObjectCommands.Detail(name: "permissions", json: .array(held.map(\.json)), lines: held.map(\.summary)),
            ObjectCommands.Detail(
                name: "deliveries", json: .array(deliveries.map { .object($0.json) }), lines: deliveries.map(\.summary)),
        ]
    }
}

extension DeliveryRecord {
    fileprivate var summary: String {
        let tries = attempts == 0 ? [] : ["tries: \(attempts)"]
        return (["\(createdAt.iso8601) \(queue.rawValue) \(state.rawValue)"] + tries + (problem.map { [$0] } ?? []))
            .joined(separator: ", ")
    }
}

extension HeldPermission {
    /// The Management API's document.
    fileprivate var json: JSONValue {
        func source(_ type: String, _ id: String, _ name: String) -> JSONValue {
            ["source_type": .string(type), "source_id": .string(id), "source_name": .string(name)]
        }
        return [
            "resource_server_identifier": .string(permission.resourceServer),
            "permission_name": .string(permission.scope),
            "sources": .array(
                (isDirect ? [source("DIRECT", "", "")] : []) + roles.map { source("ROLE", $0.id.rawValue, $0.name) }),
        ]
    }

    fileprivate var summary: String {
        let sources = (isDirect ? ["directly"] : []) + roles.map { "by \($0.name)" }
        return "\(permission.scope) at \(permission.resourceServer), \(sources.joined(separator: " and "))"
    }
}
