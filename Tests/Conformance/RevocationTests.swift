import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("RFC 7009: revocation")
struct RevocationTests {
    private func revoke(_ token: String?, in fixture: CodeFixture, _ changes: [String: String?] = [:]) async
        -> HTTPAnswer
    {
        await fixture.post("/oauth/revoke", ["client_id": "app", "token": token].merging(changes) { $1 })
    }

    @Test(
        "2.1: revoking a refresh or access token ends its whole authorization, and no other",
        arguments: [false, true], [nil, "refresh_token", "access_token", "unknown"])
    func revoked(isAccessToken: Bool, hint: String?) async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens()
        let other = try await fixture.tokens("second")
        let answer = await revoke(
            isAccessToken ? tokens.access : tokens.refresh, in: fixture, ["token_type_hint": hint])
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(await fixture.userInfo(tokens.access).status == 401)
        expectError(await fixture.refresh(tokens.refresh), 400, "invalid_grant", unknownRefreshToken)
        #expect(await fixture.userInfo(other.access).status == 200)
        #expect(await fixture.refresh(other.refresh).status == 200)
        #expect(try await fixture.server.auditKinds().filter { $0 == "srrt" }.count == 1)
        #expect(await revoke(tokens.refresh, in: fixture).status == 200, "again")
        #expect(try await fixture.server.auditKinds().filter { $0 == "srrt" }.count == 1)
    }

    @Test("The body may be JSON")
    func json() async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens()
        let answer = await fixture.server.send(
            .json(
                .post, "/oauth/revoke", ["client_id": "app", "token": .string(try tokens.refresh.orThrow("none"))]))
        #expect(answer.status == 200)
        #expect(await fixture.refresh(tokens.refresh).status == 400)
    }

    @Test("2.2: an unknown token is no error")
    func unknown() async throws {
        let fixture = try await CodeFixture()
        for token in ["x", "v1.Mxyz", "a.b.c"] {
            let answer = await revoke(token, in: fixture)
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
        }
    }

    @Test("2.1: another client's token stays valid, and the answer does not disclose it")
    func otherClient() async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens()
        let before = try await fixture.server.dump()
        for token in [tokens.access, tokens.refresh] {
            #expect(await revoke(token, in: fixture, ["client_id": "other-app"]).status == 200)
        }
        #expect(try await fixture.server.dump() == before)
        #expect(await fixture.userInfo(tokens.access).status == 200)
    }

    @Test("2.2.1: an ID token cannot be revoked")
    func unsupported() async throws {
        let fixture = try await CodeFixture()
        let token = try await fixture.tokens().answer["id_token"]?.stringValue
        expectError(await revoke(token, in: fixture), 400, "unsupported_token_type")
    }

    @Test("2.1: confidential clients must authenticate, and the token is required")
    func refused() async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens { $0.client = "web" }
        expectError(await revoke(tokens.refresh, in: fixture, ["client_id": "web"]), 401, "invalid_client")
        expectError(await revoke(tokens.refresh, in: fixture, ["client_id": "nobody"]), 401, "invalid_client")
        expectError(await revoke(nil, in: fixture), 400, "invalid_request", "Missing required parameter: token")
        #expect(await fixture.userInfo(tokens.access).status == 200)
    }

    @Test("A client credentials token can be revoked")
    func clientToken() async throws {
        let fixture = try await CodeFixture()
        let credentials: [String: String?] = ["client_id": "service", "client_secret": Samples.secret]
        let token = await fixture.post(
            "/oauth/token",
            credentials.merging(["grant_type": "client_credentials", "audience": Samples.api]) { $1 }
        )["access_token"]?.stringValue
        let text = try token.orThrow("none")
        #expect(await fixture.introspect(text, as: "service")["active"] == true)
        #expect(await revoke(text, in: fixture, credentials).status == 200)
        #expect(await fixture.introspect(text, as: "service")["active"] == false)
    }
}

@Suite("RFC 7662: introspection")
struct IntrospectionTests {
    @Test("2.2: an active access token is shown to its client and to its API's server")
    func active() async throws {
        let fixture = try await CodeFixture {
            $0.clients.append(
                Samples.client("resource-server") { $0.limit(to: [Samples.api: .some([])]) })
        }
        let details: JSONValue = [["type": "payment"]]
        let tokens = try await fixture.tokens {
            $0.client = "web"
            $0.scope = "openid pay:read"
            $0.details = details
        }
        let claims = try await fixture.claims(tokens.access)
        for client in ["web", "resource-server"] {
            let answer = await fixture.introspect(tokens.access, as: client)
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

    @Test("2.2: any other token is inactive, without further members")
    func inactive() async throws {
        let fixture = try await CodeFixture {
            $0.clients += [Samples.client("stranger") { $0.limit(to: [:]) }, Samples.client("agent")]
        }
        let tokens = try await fixture.tokens { $0.client = "web" }
        let idToken = try (tokens.answer["id_token"]?.stringValue).orThrow("none")
        let refresh = try tokens.refresh.orThrow("none")
        for (token, client) in [
            (tokens.access, "stranger"), (tokens.access, "agent"), (refresh, "stranger"), (refresh, "service"),
            ("x", "web"), (idToken, "web"),
        ] {
            let answer = await fixture.introspect(token, as: client)
            #expect(answer.status == 200)
            #expect(answer.json == ["active": false], "\(client)")
        }
        try await fixture.server.put(Samples.user("auth0|ann") { $0.blocked = true })
        #expect(await fixture.introspect(tokens.access).json == ["active": false])
        #expect(await fixture.introspect(refresh).json == ["active": false])
        try await fixture.server.put(Samples.user("auth0|ann"))
        #expect(await fixture.introspect(tokens.access)["active"] == true)
        fixture.server.advance(.seconds(86_400))
        #expect(await fixture.introspect(tokens.access).json == ["active": false])
    }

    @Test("A valid refresh token is shown to its own client only")
    func refreshToken() async throws {
        let fixture = try await CodeFixture {
            $0.clients[2].refreshTokens.rotates = true
            $0.clients[2].refreshTokens.lifetime = 1000
            $0.clients[2].refreshTokens.idleLifetime = 100
        }
        let tokens = try await fixture.tokens { $0.client = "web" }
        let refresh = try tokens.refresh.orThrow("none")
        let answer = await fixture.introspect(refresh)
        #expect(answer["active"] == true)
        #expect(answer["scope"] == "openid offline_access")
        #expect(answer["sub"] == "auth0|ann")
        #expect(answer["aud"] == .string(Samples.api))
        #expect(answer["exp"]?.intValue == Int(fixture.server.clock.now.seconds) + 100)
        #expect(answer["token_type"] == nil)
        let next = try CodeFixture.Tokens(
            await fixture.refresh(refresh, ["client_id": "web", "client_secret": Samples.secret]))
        #expect(await fixture.introspect(refresh).json == ["active": false], "looking at it is no use of it")
        #expect(await fixture.introspect(try next.refresh.orThrow("none"))["active"] == true)
    }

    @Test("2.1: public clients and wrong secrets are refused")
    func refused() async throws {
        let fixture = try await CodeFixture()
        let token = try await fixture.tokens().access
        expectError(
            await fixture.post("/oauth/introspect", ["client_id": "app", "token": token]), 401, "invalid_client")
        expectError(
            await fixture.post("/oauth/introspect", ["client_id": "web", "client_secret": "wrong", "token": token]),
            401,
            "invalid_client")
        expectError(
            await fixture.post("/oauth/introspect", ["client_id": "web", "client_secret": Samples.secret]), 400,
            "invalid_request", "Missing required parameter: token")
    }
}
