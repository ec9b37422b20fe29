import APIDescription
import Administration
import AuthorizationCore
import HTTPModel
import Primitives

/// `/users`: who there is.
struct UserRoutes: Sendable {
    private static let tag = "Users"

    let users: ManageUsers
    let ports: UserPorts

    var all: [ManagementRoute] {
        let shown = Operation.Answer(200, "The user", UserShapes.user, example: UserShapes.example)
        let taken = (409, "Another user has that address, username or id")
        return [
            ManagementRoute(
                .get, "/users", "list_users", "List users", tag: Self.tag, scopes: [["read:users"]],
                parameters: Paging.parameters + Projection.parameters,
                answer: Operation.Answer(200, "The users", Listing.shape("users", of: UserShapes.user)), list),
            ManagementRoute(
                .post, "/users", "create_user", "Create a user", tag: Self.tag, scopes: [["create:users"]],
                body: Operation.Body(UserShapes.create, example: UserShapes.createExample),
                answer: Operation.Answer(201, "The user", UserShapes.user, example: UserShapes.example),
                refusals: [taken]
            ) { call in
                .object(UserShapes.json(try await users.create(call.document, for: call.errand)), status: 201)
            },
            ManagementRoute(
                .get, "/users-by-email", "list_users_by_email", "Find the users of an e-mail address", tag: Self.tag,
                scopes: [["read:users"]],
                parameters: [
                    Operation.Parameter("email", in: .query, .text(1...254), "In any case", isRequired: true)
                ] + Projection.parameters,
                answer: Operation.Answer(200, "The users", .list(UserShapes.user))
            ) { call in
                let found = try await users.users(email: call.query["email"]?.stringValue ?? "", of: call.tenant)
                return .value(.array(found.map { .object(call.projection.apply(to: UserShapes.json($0))) }))
            },
            ManagementRoute(
                .get, "/users/{id}", "get_user", "Show a user", tag: Self.tag, scopes: [["read:users"]],
                parameters: Projection.parameters, answer: shown
            ) { call in .object(UserShapes.json(try await users.user(UserID(call.id()), of: call.tenant))) },
            ManagementRoute(
                .patch, "/users/{id}", "update_user",
                "Change a user; null takes a member away, metadata are merged at their first level", tag: Self.tag,
                scopes: [["update:users"], ["update:users_app_metadata"]],
                body: Operation.Body(
                    UserShapes.update, example: ["blocked": true, "user_metadata": ["theme": "dark"]]),
                answer: shown, refusals: [taken], update),
            ManagementRoute(
                .delete, "/users/{id}", "delete_user", "Remove a user with everything of theirs", tag: Self.tag,
                scopes: [["delete:users"]], answer: Operation.Answer(204, "There is no such user any more")
            ) { call in
                ports.tell(of: try await users.remove(UserID(call.id()), for: call.errand), call)
                return .nothing()
            },
        ]
    }

    @Sendable private func list(_ call: ManagementCall) async throws -> ManagementAnswer {
        switch call.paging {
        case .checkpoint(let from, let take):
            let after = from.flatMap(Checkpoint.read).map { UserID($0) }
            let (found, _) = try await users.list(call.tenant, after: after, skip: 0, limit: take + 1)
            let next = found.count > take ? Checkpoint.write(found[take - 1].user.id.rawValue) : nil
            return .list(Listing("users", found.prefix(take).map(UserShapes.json), call.paging, next: next))
        case .offset(let page, let perPage, _):
            let (skip, overflows) = page.multipliedReportingOverflow(by: perPage)
            let (found, total) = try await users.list(
                call.tenant, after: nil, skip: overflows ? .max : skip, limit: perPage)
            return .list(Listing("users", found.map(UserShapes.json), call.paging, total: total))
        }
    }

    /// A token for `app_metadata` alone changes nothing else.
    @Sendable private func update(_ call: ManagementCall) async throws -> ManagementAnswer {
        if !call.scopes.contains("update:users"), call.document.contains(where: { $0.name != "app_metadata" }) {
            throw ManagementFailure.insufficientScope([["update:users"]])
        }
        var patch = call.document
        patch["client_id"] = nil
        let (user, ended) = try await users.update(UserID(call.id()), patch, for: call.errand)
        ports.tell(of: ended, call)
        return .object(UserShapes.json(user))
    }
}
