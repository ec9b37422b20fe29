import Administration
import AuthorizationCore
import CountersignServer
import ManagementAPI
import Primitives
import Terminal

extension Command {
    static var users: Command {
        ObjectCommands(
            name: "user", kind: .user, summary: "Look after users: the people who are asked and who log in.",
            examples: [
                Example(
                    "make one",
                    "countersign user create --email hanna@shop.example --name 'Hanna Herwitz' --file password.json"),
                Example("find some", "countersign user search 'name:han* AND app_metadata.plan:pro'"),
                Example("lock one out", "countersign user update 'auth0|65f0' --set blocked=true"),
            ],
            columns: [
                ObjectCommands.Column(heading: "USER", member: "user_id"),
                ObjectCommands.Column(heading: "NAME", member: "name"),
                ObjectCommands.Column(heading: "EMAIL", member: "email"),
                ObjectCommands.Column(heading: "LAST LOGIN", member: "last_login"),
                ObjectCommands.Column(heading: "BLOCKED", member: "blocked"),
            ],
            operand: "USER",
            members: [
                ("email", "The e-mail address."), ("name", "The whole name."), ("username", "A name to log in with."),
                ("connection", "Where they log in; the tenant's database unless told."),
            ],
            list: { scene in try await found(nil, in: scene, limit: 100) },
            show: { scene, id in
                ManagementAPI.document(
                    of: try await scene.installation.users.user(UserID(id), of: scene.tenant.id))
            },
            create: { scene, document in
                var document = document
                if document["connection"] == nil {
                    document["connection"] = .string(LoginConnection.defaultDatabaseName)
                }
                return ManagementAPI.document(
                    of: try await scene.installation.users.create(document, for: scene.errand))
            },
            update: { scene, id, patch in
                ManagementAPI.document(
                    of: try await scene.installation.users.update(UserID(id), patch, for: scene.errand).user)
            },
            delete: { scene, id in
                let id = UserID(id)
                // The use case takes it for done where there is no such user; a person may have mistyped.
                _ = try await scene.installation.users.user(id, of: scene.tenant.id)
                _ = try await scene.installation.users.remove(id, for: scene.errand)
            },
            further: [search]
        ).command
    }

    private static var search: Command {
        let query = Option<String>.argument(
            "QUERY", .string, "In Lucene's syntax, such as name:han* or email:\"a@b.c\".")
        let limit = Option<Int>.defaulted("limit", .integer(1...100_000), to: 100, "How many at most.")
        return ObjectCommands.work(
            "search", "Find users by what is kept of them, metadata too.", [query.declaration, limit.declaration],
            examples: [
                Example("by a part of the name", "countersign user search 'name:*herw*'"),
                Example("who never logged in", "countersign user search 'NOT _exists_:last_login'"),
            ]
        ) { scene, invocation in
            let users = try await found(try invocation[query], in: scene, limit: try invocation[limit])
            try ObjectCommands.print(
                users,
                columns: [("USER", "user_id"), ("NAME", "name"), ("EMAIL", "email"), ("CREATED", "created_at")],
                invocation)
        }
    }

    /// A query that is wrong is a failure that says where.
    private static func found(
        _ query: String?, in scene: ObjectCommands.Scene, limit: Int
    ) async throws -> [JSONObject] {
        var users: [JSONObject] = []
        var next: String?
        repeat {
            let count = min(SearchUsers.sizeLimit, limit - users.count)
            let request = SearchUsers.Request(query: query, part: .following(next, count: count))
            do {
                let result = try await scene.installation.userSearch.search(request, tenant: scene.tenant.id)
                users += result.users.map(ManagementAPI.document)
                next = result.next?.opaque
            } catch SearchUsers.Failure.query(let error) {
                throw CommandFailure(
                    "the query cannot be read: \(error)", hint: "docs/management.md has a table of what can be asked")
            }
        } while next != nil && users.count < limit
        return users
    }
}
