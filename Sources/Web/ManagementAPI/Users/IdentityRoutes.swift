import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

/// `/users/{id}/identities`: a user's linked accounts at upstream providers.
struct IdentityRoutes: Sendable {
    private static let group = RouteGroup("Users", scopes: "users")

    let identities: ManageIdentities
    let ports: ManagementAPI.Ports

    private struct Account {
        var provider: String?
        var id: String?
        var token: String?
    }

    private static let link = Fields<Account> {
        Field("provider", protects: .covered(.identity), .characters(1...128), \.provider, "The connection's name")
        Field(
            "user_id", protects: .covered(.identity), .characters(), \.id,
            "Id at the provider, with or without PROVIDER|")
        Field("connection_id", protects: .nothing, .text(1...255), "`provider` names it").withoutEffect
        Field(
            "link_with", protects: .covered(.identity), .characters(1...16_384), \.token,
            "An ID token of the other user; refused, name the account instead")
    }

    var all: [ManagementRoute] {
        let listing = Shape.list(UserShapes.identity)
        return [
            ManagementRoute(
                .post, "/users/{id}/identities", "link_user_identity",
                "Link an upstream account to this user; a user who has only that account is deleted", in: Self.group,
                scopes: [["update:users"]],
                body: Operation.Body(Self.link.shape, example: ["provider": "github", "user_id": "583231"]),
                answer: Operation.Answer(201, "The user's accounts", listing),
                refusals: [(409, "The account is linked to another user")], link),
            ManagementRoute(
                .delete, "/users/{id}/identities/{provider}/{user_id}", "unlink_user_identity",
                "Unlink an account and end the user's sessions; the account becomes a separate user at its next login",
                in: Self.group, scopes: [["update:users"]],
                answer: Operation.Answer(200, "The user's accounts", listing)
            ) { call in
                let identity = UserIdentity(provider: call.id("provider"), userID: call.id("user_id"))
                let left = try await identities.unlink(identity, from: UserID(call.id()), for: call.context)
                return Self.answer(left, status: 200)
            },
        ]
    }

    private static func answer(_ identities: [UserIdentity], status: Int) -> ManagementAnswer {
        .value(.array(identities.map { .object(UserShapes.json($0)) }), status: status)
    }

    @Sendable private func link(_ call: ManagementCall) async throws -> ManagementAnswer {
        let account = try call.read(Self.link, Account())
        guard account.token == nil else {
            throw AdministrationFailure.unsupported("Name the account with provider and user_id")
        }
        guard let provider = account.provider, let given = account.id else {
            throw ManagementFailure.invalidBody("Missing required property: provider, user_id")
        }
        let prefix = provider + "|"
        let identity = UserIdentity(
            provider: provider, userID: given.hasPrefix(prefix) ? String(given.dropFirst(prefix.count)) : given)
        let (linked, ended) = try await identities.link(identity, to: UserID(call.id()), for: call.context)
        ports.notify(of: ended)
        return Self.answer(linked, status: 201)
    }
}
