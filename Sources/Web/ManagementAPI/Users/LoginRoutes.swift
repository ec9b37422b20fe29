import APIDescription
import Administration
import AuthorizationCore
import Configuration
import HTTPModel
import JSONSchema
import Primitives

/// Sessions and refresh tokens, by user and by id.
struct LoginRoutes: Sendable {
    private static let sessions = RouteGroup("Sessions", scopes: "sessions")
    private static let refreshTokens = RouteGroup("Refresh tokens", scopes: "refresh_tokens")

    let logins: ManageLogins

    var all: [ManagementRoute] { sessionRoutes + tokenRoutes }

    private var sessionRoutes: [ManagementRoute] {
        let accepted = Operation.Answer(202, "Done")
        return [
            ManagementRoute(
                .get, "/users/{id}/sessions", "list_user_sessions", "List the sessions of a user's browsers",
                in: Self.sessions, parameters: Paging.checkpointParameters,
                answer: Operation.Answer(200, "The sessions", Self.page("sessions", of: LoginShapes.session))
            ) { call in
                let found = try await logins.sessions(of: UserID(call.id()), in: call.tenant, now: call.now)
                return .list(
                    Listing("sessions", of: found, call.checkpoint, key: \.session.id.rawValue, LoginShapes.json))
            },
            ManagementRoute(
                .delete, "/users/{id}/sessions", "delete_user_sessions",
                "End all sessions of a user and notify their clients (OIDC Back-Channel Logout 1.0)", in: Self.sessions,
                answer: accepted
            ) { call in
                try await logins.endSessions(of: UserID(call.id()), for: call.context)
            },
            ManagementRoute(
                .post, "/users/{id}/revoke-access", "revoke_user_access",
                "End a user's sessions and refresh tokens, with the access tokens issued for the latter",
                in: Self.sessions, scopes: [["delete:sessions", "delete:refresh_tokens"]],
                body: Operation.Body(
                    LoginShapes.revokeAccess.shape, example: ["preserve_refresh_tokens": true], isRequired: false),
                answer: Operation.Answer(204, "Done"), revokeAccess),
            ManagementRoute(
                .get, "/sessions/{id}", "get_session", "Show a session", in: Self.sessions,
                answer: Operation.Answer(200, "The session", LoginShapes.session, example: LoginShapes.sessionExample)
            ) { call in
                .object(
                    LoginShapes.json(try await logins.session(SessionID(call.id()), in: call.tenant, now: call.now)))
            },
            ManagementRoute(
                .delete, "/sessions/{id}", "delete_session", "End a session", in: Self.sessions, answer: accepted
            ) { call in
                try await removing(.session) {
                    try await logins.end(SessionID(call.id()), for: call.context)
                }
            },
            ManagementRoute(
                .post, "/sessions/{id}/revoke", "revoke_session", "End a session with its refresh tokens",
                in: Self.sessions, scopes: [["delete:sessions", "delete:refresh_tokens"]], answer: accepted
            ) { call in
                try await logins.end(SessionID(call.id()), withRefreshTokens: true, for: call.context)
            },
        ]
    }

    private var tokenRoutes: [ManagementRoute] {
        let shown = Operation.Answer(
            200, "The refresh token", LoginShapes.refreshToken, example: LoginShapes.refreshTokenExample)
        return [
            ManagementRoute(
                .get, "/users/{id}/refresh-tokens", "list_user_refresh_tokens", "List a user's refresh tokens",
                in: Self.refreshTokens, parameters: Paging.checkpointParameters,
                answer: Operation.Answer(
                    200, "The refresh tokens", Self.page("refresh_tokens", of: LoginShapes.refreshToken))
            ) { call in
                let found = try await logins.refreshTokens(of: UserID(call.id()), in: call.tenant, now: call.now)
                return .list(
                    Listing("refresh_tokens", of: found, call.checkpoint, key: \.family.access.id.rawValue) {
                        LoginShapes.json($0, call.configuration)
                    })
            },
            ManagementRoute(
                .delete, "/users/{id}/refresh-tokens", "delete_user_refresh_tokens",
                "End a user's refresh tokens with their access tokens", in: Self.refreshTokens,
                answer: Operation.Answer(202, "Done")
            ) { call in
                try await logins.revoke(RefreshTokenFilter(user: UserID(call.id())), for: call.context)
            },
            ManagementRoute(
                .get, "/refresh-tokens/{id}", "get_refresh_token", "Show a refresh token; its secret is not kept",
                in: Self.refreshTokens, answer: shown
            ) { call in
                let token = try await logins.refreshToken(AuthorizationID(call.id()), in: call.tenant, now: call.now)
                return .object(LoginShapes.json(token, call.configuration))
            },
            ManagementRoute(
                .patch, "/refresh-tokens/{id}", "update_refresh_token", "Change the metadata of a refresh token",
                in: Self.refreshTokens,
                body: Operation.Body(
                    LoginShapes.changeRefreshToken, example: ["refresh_token_metadata": ["device": "kiosk 7"]]),
                answer: shown
            ) { call in
                let metadata = try call.member("refresh_token_metadata", LoginShapes.metadata) ?? [:]
                let token = try await logins.put(
                    metadata: metadata, ofRefreshToken: AuthorizationID(call.id()), for: call.context)
                return .object(LoginShapes.json(token, call.configuration))
            },
            ManagementRoute(
                .delete, "/refresh-tokens/{id}", "delete_refresh_token", "Revoke a refresh token and its access tokens",
                in: Self.refreshTokens, answer: Operation.Answer(202, "Done")
            ) { call in
                try await logins.revoke(RefreshTokenFilter(ids: [AuthorizationID(call.id())]), for: call.context)
            },
            ManagementRoute(
                .post, "/refresh-tokens/revoke", "revoke_refresh_tokens",
                "Revoke the refresh tokens that match every given field", in: Self.refreshTokens,
                scopes: [["delete:refresh_tokens"]],
                body: Operation.Body(
                    LoginShapes.revokeRefreshTokens.shape,
                    example: ["user_id": "auth0|65f0c1d2e3a4b5c6d7e8f901", "client_id": "agent"]),
                answer: Operation.Answer(204, "Done"), refusals: [(404, "There is no such user or client")], revoke),
        ]
    }

    private static func page(_ collection: String, of element: Shape) -> Shape {
        .object([.required(collection, .list(element)), Member("next", .text())])
    }

    @Sendable private func revokeAccess(_ call: ManagementCall) async throws {
        let revocation = try call.read(LoginShapes.revokeAccess, LoginShapes.Revocation())
        try await logins.revokeAccess(
            of: UserID(call.id()), session: revocation.session,
            preservesRefreshTokens: revocation.preservesRefreshTokens, for: call.context)
    }

    @Sendable private func revoke(_ call: ManagementCall) async throws {
        try await logins.revoke(call.read(LoginShapes.revokeRefreshTokens, RefreshTokenFilter()), for: call.context)
    }
}
