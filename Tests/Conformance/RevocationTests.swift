import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("RFC 7009: revocation")
struct RevocationTests {
    private func revoke(_ token: String?, in world: CodeWorld, _ changes: [String: String?] = [:]) async -> HTTPAnswer {
        await world.post("/oauth/revoke", ["client_id": "app", "token": token].merging(changes) { $1 })
    }

    @Test(
        "2.1: a refresh token and an access token end everything of their authorization, and nothing else",
        arguments: [false, true], [nil, "refresh_token", "access_token", "unknown"])
    func revoked(isAccessToken: Bool, hint: String?) async throws {
        let world = try await CodeWorld()
        let tokens = try await world.tokens()
        let other = try await world.tokens("second")
        let answer = await revoke(
            isAccessToken ? tokens.access : tokens.refresh, in: world, ["token_type_hint": hint])
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(await world.userInfo(tokens.access).status == 401)
        expectError(await world.refresh(tokens.refresh), 400, "invalid_grant", unknownRefreshToken)
        #expect(await world.userInfo(other.access).status == 200)
        #expect(await world.refresh(other.refresh).status == 200)
        #expect(try await world.server.auditKinds().filter { $0 == "srrt" }.count == 1)
        #expect(await revoke(tokens.refresh, in: world).status == 200, "again")
        #expect(try await world.server.auditKinds().filter { $0 == "srrt" }.count == 1)
    }

    @Test("JSON is read too")
    func json() async throws {
        let world = try await CodeWorld()
        let tokens = try await world.tokens()
        let answer = await world.server.send(
            .json(
                .post, "/oauth/revoke", ["client_id": "app", "token": .string(try tokens.refresh.orThrow("none"))]))
        #expect(answer.status == 200)
        #expect(await world.refresh(tokens.refresh).status == 400)
    }

    @Test("2.2: a token that nobody knows is no error")
    func unknown() async throws {
        let world = try await CodeWorld()
        for token in ["x", "v1.Mxyz", "a.b.c"] {
            let answer = await revoke(token, in: world)
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
        }
    }

    @Test("2.1: another client's token stays, and the answer does not tell")
    func otherClient() async throws {
        let world = try await CodeWorld()
        let tokens = try await world.tokens()
        let before = try await world.server.dump()
        for token in [tokens.access, tokens.refresh] {
            #expect(await revoke(token, in: world, ["client_id": "other-app"]).status == 200)
        }
        #expect(try await world.server.dump() == before)
        #expect(await world.userInfo(tokens.access).status == 200)
    }

    @Test("2.2.1: an ID token cannot be revoked")
    func unsupported() async throws {
        let world = try await CodeWorld()
        let token = try await world.tokens().answer["id_token"]?.stringValue
        expectError(await revoke(token, in: world), 400, "unsupported_token_type")
    }

    @Test("2.1: confidential clients prove themselves, and the token must be there")
    func refused() async throws {
        let world = try await CodeWorld()
        let tokens = try await world.tokens { $0.client = "web" }
        expectError(await revoke(tokens.refresh, in: world, ["client_id": "web"]), 401, "invalid_client")
        expectError(await revoke(tokens.refresh, in: world, ["client_id": "nobody"]), 401, "invalid_client")
        expectError(await revoke(nil, in: world), 400, "invalid_request", "Missing required parameter: token")
        #expect(await world.userInfo(tokens.access).status == 200)
    }

    @Test("A client's own token is revoked too")
    func clientToken() async throws {
        let world = try await CodeWorld()
        let credentials: [String: String?] = ["client_id": "service", "client_secret": Samples.secret]
        let token = await world.post(
            "/oauth/token",
            credentials.merging(["grant_type": "client_credentials", "audience": Samples.api]) { $1 }
        )["access_token"]?.stringValue
        let text = try token.orThrow("none")
        #expect(await world.introspect(text, as: "service")["active"] == true)
        #expect(await revoke(text, in: world, credentials).status == 200)
        #expect(await world.introspect(text, as: "service")["active"] == false)
    }
}

@Suite("RFC 7662: introspection")
struct IntrospectionTests {
    @Test("2.2: an active access token, told to its client and to a server of its API")
    func active() async throws {
        let world = try await CodeWorld {
            $0.clients.append(
                Samples.client("resource-server") { $0.limit(to: [Samples.api: .some([])]) })
        }
        let details: JSONValue = [["type": "payment"]]
        let tokens = try await world.tokens {
            $0.client = "web"
            $0.scope = "openid pay:read"
            $0.details = details
        }
        let claims = try await world.claims(tokens.access)
        for client in ["web", "resource-server"] {
            let answer = await world.introspect(tokens.access, as: client)
            #expect(answer.status == 200)
            #expect(answer.fields["Cache-Control"] == "no-store")
            #expect(answer["active"] == true)
            #expect(answer["token_type"] == "Bearer")
            #expect(answer["client_id"] == "web")
            #expect(answer["authorization_details"] == details)
            for name in ["scope", "sub", "aud", "iss", "exp", "iat", "jti"] {
                #expect(answer[name] == claims[name], "\(name)")
                #expect(answer[name] != nil, "\(name)")
            }
        }
    }

    @Test("2.2: everything else is inactive, and nothing more is told")
    func inactive() async throws {
        let world = try await CodeWorld {
            $0.clients += [Samples.client("stranger") { $0.limit(to: [:]) }, Samples.client("agent")]
        }
        let tokens = try await world.tokens { $0.client = "web" }
        let idToken = try (tokens.answer["id_token"]?.stringValue).orThrow("none")
        let refresh = try tokens.refresh.orThrow("none")
        for (token, client) in [
            (tokens.access, "stranger"), (tokens.access, "agent"), (refresh, "stranger"), (refresh, "service"),
            ("x", "web"), (idToken, "web"),
        ] {
            let answer = await world.introspect(token, as: client)
            #expect(answer.status == 200)
            #expect(answer.json == ["active": false], "\(client)")
        }
        try await world.server.put(Samples.user("auth0|ann") { $0.blocked = true })
        #expect(await world.introspect(tokens.access).json == ["active": false])
        #expect(await world.introspect(refresh).json == ["active": false])
        try await world.server.put(Samples.user("auth0|ann"))
        #expect(await world.introspect(tokens.access)["active"] == true)
        world.server.advance(.seconds(86_400))
        #expect(await world.introspect(tokens.access).json == ["active": false])
    }

    @Test("A refresh token is told of to its own client, as long as it is the valid one")
    func refreshToken() async throws {
        let world = try await CodeWorld {
            $0.clients[2].refreshTokens.rotates = true
            $0.clients[2].refreshTokens.lifetime = 1000
            $0.clients[2].refreshTokens.idleLifetime = 100
        }
        let tokens = try await world.tokens { $0.client = "web" }
        let refresh = try tokens.refresh.orThrow("none")
        let answer = await world.introspect(refresh)
        #expect(answer["active"] == true)
        #expect(answer["scope"] == "openid offline_access")
        #expect(answer["sub"] == "auth0|ann")
        #expect(answer["aud"] == .string(Samples.api))
        #expect(answer["exp"]?.intValue == Int(world.server.clock.now.seconds) + 100)
        #expect(answer["token_type"] == nil)
        let next = try CodeWorld.Tokens(
            await world.refresh(refresh, ["client_id": "web", "client_secret": Samples.secret]))
        #expect(await world.introspect(refresh).json == ["active": false], "looking at it is no use of it")
        #expect(await world.introspect(try next.refresh.orThrow("none"))["active"] == true)
    }

    @Test("2.1: public clients and wrong secrets are refused")
    func refused() async throws {
        let world = try await CodeWorld()
        let token = try await world.tokens().access
        expectError(
            await world.post("/oauth/introspect", ["client_id": "app", "token": token]), 401, "invalid_client")
        expectError(
            await world.post("/oauth/introspect", ["client_id": "web", "client_secret": "wrong", "token": token]), 401,
            "invalid_client")
        expectError(
            await world.post("/oauth/introspect", ["client_id": "web", "client_secret": Samples.secret]), 400,
            "invalid_request", "Missing required parameter: token")
    }
}
