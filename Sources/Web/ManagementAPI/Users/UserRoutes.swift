import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives
import SearchQuery

/// `/users`: the tenant's users.
struct UserRoutes: Sendable {
    private static let group = RouteGroup("Users", scopes: "users")

    let users: ManageUsers
    let tickets: ManageTickets
    let search: SearchUsers
    let ports: ManagementAPI.Ports

    var all: [ManagementRoute] {
        let shown = Operation.Answer(200, "The user", UserShapes.user, example: UserShapes.example)
        let taken = (409, "Another user has that address, username or id")
        return [
            ManagementRoute(
                .get, "/users", "list_users", "Find users", in: Self.group,
                parameters: Self.searchParameters + Paging.parameters + Projection.parameters,
                answer: Operation.Answer(200, "The users", Listing.shape("users", of: UserShapes.user)), list),
            ManagementRoute(
                .post, "/users", "create_user", "Create a user", in: Self.group,
                body: Operation.Body(UserShapes.create, example: UserShapes.createExample),
                answer: Operation.Answer(201, "The user", UserShapes.user, example: UserShapes.example),
                refusals: [taken], create),
            ManagementRoute(
                .get, "/users-by-email", "list_users_by_email", "Find the users of an e-mail address", in: Self.group,
                parameters: [
                    Operation.Parameter("email", in: .query, .text(1...254), "Case is ignored", isRequired: true)
                ] + Projection.parameters, answer: Operation.Answer(200, "The users", .list(UserShapes.user))
            ) { call in
                // A text that is no address names nobody.
                guard let email = EmailAddress(parsing: try call.required("email")) else { return .value([]) }
                let found = try await users.users(email: email, of: call.tenant)
                return .value(.array(found.map { .object(call.projection.apply(to: UserShapes.json($0))) }))
            },
            ManagementRoute(
                .get, "/users/{id}", "get_user", "Show a user", in: Self.group, parameters: Projection.parameters,
                answer: shown
            ) { call in .object(UserShapes.json(try await users.user(UserID(call.id()), of: call.tenant))) },
            ManagementRoute(
                .patch, "/users/{id}", "update_user",
                "Change a user; null deletes a member; metadata is merged at its first level", in: Self.group,
                scopes: [["update:users"], ["update:users_app_metadata"]],
                body: Operation.Body(
                    UserShapes.update, example: ["blocked": true, "user_metadata": ["theme": "dark"]]), answer: shown,
                refusals: [taken], update),
            ManagementRoute(
                .delete, "/users/{id}", "delete_user",
                "Delete a user with all data; with kept decisions, this needs `update:approval_evidence`, too",
                in: Self.group, answer: Operation.Answer(204, "The user is deleted")
            ) { call in
                ports.notify(of: try await users.remove(UserID(call.id()), for: call.context))
            },
        ]
    }

    private static let searchParameters = [
        Operation.Parameter(
            "q", in: .query, .text(0...QuerySyntax.lengthLimit),
            "Lucene's syntax: email:ann* AND NOT blocked:true; \(QuerySyntax.lengthLimit) bytes at most"),
        Operation.Parameter("sort", in: .query, .text(1...255), "A field and a direction, as in created_at:-1"),
        Operation.Parameter("connection", in: .query, .text(1...128), "Only users of that connection"),
        Operation.Parameter("search_engine", in: .query, .choice(["v1", "v2", "v3"]), "Accepted without effect"),
        Operation.Parameter("primary_order", in: .query, .boolean, "Accepted without effect"),
    ]

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        let paging = call.paging
        var request = SearchUsers.Request(query: try query(call), sort: call.query["sort"]?.stringValue)
        switch paging {
        case .offset(let page, let perPage, let includesTotals):
            request.part = .page(page, size: perPage)
            request.countsTotal = includesTotals
        case .checkpoint(let from, let take): request.part = .following(from, count: take)
        }
        do {
            let found = try await search.search(request, tenant: call.tenant)
            return .list(
                Listing(
                    "users", found.users.map(UserShapes.json), paging, total: found.total, next: found.next?.opaque))
        } catch let failure as SearchUsers.Failure {
            throw ManagementFailure(failure)
        }
    }

    /// Combines `q` with the connection. Parses `q` separately first, so that errors report positions in `q`.
    private func query(_ call: ManagementCall) throws(ManagementFailure) -> String? {
        let text = call.query["q"]?.stringValue
        guard let connection = call.query["connection"]?.stringValue else { return text }
        let name = connection.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let condition = "identities.connection:\"\(name)\""
        guard let text else { return condition }
        do throws(QuerySyntaxError) {
            _ = try UserQuery(parsing: text)
        } catch {
            throw ManagementFailure(.query(error))
        }
        return "(\(text)) AND \(condition)"
    }

    @Sendable private func update(_ call: ManagementCall) async throws -> ManagementAnswer {
        var patch = call.document
        for name in ["client_id", "verify_email", "verify_phone_number"] { patch[name] = nil }
        guard try call.member("verify_phone_number", .flag) != true else {
            throw AdministrationFailure.unsupported("Messages to phone numbers are not supported")
        }
        let user = try await users.update(UserID(call.id()), patch, for: call.context)
        try await verifyEmail(of: user, call)
        return .object(UserShapes.json(user))
    }

    @Sendable private func create(_ call: ManagementCall) async throws -> ManagementAnswer {
        var document = call.document
        document["verify_email"] = nil
        if try call.member("verify_email", .flag) == true, document["email"]?.stringValue == nil {
            throw ManagementFailure.invalidBody("needs an email", at: "verify_email")
        }
        let user = try await users.create(document, for: call.context)
        try await verifyEmail(of: user, call)
        return .object(UserShapes.json(user), status: 201)
    }

    /// Mails a link that verifies the address, if the call asks for it.
    private func verifyEmail(of record: UserRecord, _ call: ManagementCall) async throws {
        guard try call.member("verify_email", .flag) == true, !record.user.emailVerified else { return }
        var options = ManageTickets.Options()
        options.isMailed = true
        options.provesEmail = true
        // The user is stored already, so a budget refuses nothing here: the mail waits for it.
        _ = try await tickets.make(
            .email, for: record.user.id, options, tenant: call.configuration.tenant, for: call.context)
    }
}

extension ManagementFailure {
    fileprivate init(_ failure: SearchUsers.Failure) {
        self =
            switch failure {
            case .query(let error): .invalidQuery("\(error)", at: "q")
            case .sort(let problem): .invalidQuery("\(problem)", at: "sort")
            case .cursor: .invalidQuery("is not from a response in this order", at: "from")
            case .part: .invalidQuery("is not within the limits", at: "page")
            }
    }
}
