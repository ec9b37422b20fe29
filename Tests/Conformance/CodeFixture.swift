import AuthorizationCore
import HTTPModel
import JOSE
import OAuthWire
import OpenSSLCrypto
import Primitives
import TestSupport
import Testing

/// A server with clients of every kind and codes for them.
struct CodeFixture {
    let server: InProcessServer

    /// `app` and `other-app` are public, `web` and `service` confidential; the API allows offline access.
    init(_ change: (inout InProcessServer.Setup) throws -> Void = { _ in }) async throws {
        server = try await InProcessServer { setup in
            setup.clients = [
                Samples.app(), Samples.app("other-app"), Samples.website(),
                Samples.client("service") { client in
                    client.grantTypes = [.clientCredentials]
                    client.limit(to: [Samples.api: .some(["pay:read"])])
                },
            ]
            setup.apis = [try Samples.resourceServer { $0.allowsOfflineAccess = true }]
            setup.users[0].email = "ann@example.org"
            try change(&setup)
        }
    }

    func post(_ path: String, _ parameters: [String: String?], fields: HTTPFields = [:]) async -> HTTPAnswer {
        await server.send(.form(path, parameters, fields: fields))
    }

    static func redeeming(_ code: String, _ changes: [String: String?] = [:]) -> [String: String?] {
        [
            "grant_type": "authorization_code", "client_id": "app", "code": code,
            "redirect_uri": Samples.callback, "code_verifier": Samples.verifier,
        ].merging(changes) { $1 }
    }

    func redeem(_ code: String, _ changes: [String: String?] = [:]) async -> HTTPAnswer {
        await post("/oauth/token", Self.redeeming(code, changes))
    }

    /// Tokens of a new authorization.
    func tokens(
        _ code: String = "first", _ change: (inout InProcessServer.CodeChanges) -> Void = { _ in }
    ) async throws -> Tokens {
        var client = "app"
        let code = try await server.code(code) { changes in
            change(&changes)
            client = changes.client
        }
        let secret: String? = client == "web" ? Samples.secret : nil
        let answer = await redeem(code, ["client_id": client, "client_secret": secret])
        return try Tokens(answer)
    }

    struct Tokens {
        let answer: HTTPAnswer
        let access: String
        let refresh: String?

        init(_ answer: HTTPAnswer) throws {
            self.answer = answer
            access = try (answer["access_token"]?.stringValue).orThrow("\(answer.status) \(answer.text)")
            refresh = answer["refresh_token"]?.stringValue
        }
    }

    func refresh(_ token: String?, _ changes: [String: String?] = [:]) async -> HTTPAnswer {
        await post(
            "/oauth/token",
            ["grant_type": "refresh_token", "client_id": "app", "refresh_token": token].merging(changes) { $1 })
    }

    func userInfo(_ token: String) async -> HTTPAnswer {
        await server.send(.get("/userinfo", fields: ["Authorization": "Bearer \(token)"]))
    }

    /// Introspects as the token's client or as a resource server.
    func introspect(_ token: String, as client: String = "web") async -> HTTPAnswer {
        await post("/oauth/introspect", ["client_id": client, "client_secret": Samples.secret, "token": token])
    }

    func claims(_ token: String?) async throws -> JSONObject {
        let jws = try JWS(parsing: try token.orThrow("no token"))
        let keys = try JWKSet(await server.send(.get("/.well-known/jwks.json")).json)
        let key = try keys.key(id: jws.keyID, for: jws.algorithm).orThrow("the key is not published")
        let payload = try jws.verified(by: key, allowed: [jws.algorithm], using: OpenSSLVerifier())
        return try Claims(payload: payload).orThrow("no claims").members
    }
}

let unknownRefreshToken = "Unknown or invalid refresh token."
