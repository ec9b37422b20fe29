import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("RFC 6749 4.1.3, RFC 7636 4.6: authorization codes at the token endpoint")
struct AuthorizationCodeGrantTests {
    @Test(
        "RFC 6749 4.1.4, OIDC Core 3.1.3.3: a code gives tokens, requested as a form or as JSON",
        arguments: [false, true])
    func tokens(asJSON: Bool) async throws {
        let fixture = try await CodeFixture()
        let code = try await fixture.server.code { $0.scope = "openid email offline_access" }
        let parameters = CodeFixture.redeeming(code)
        var body = JSONObject()
        for (name, value) in parameters { body[name] = value.map(JSONValue.string) }
        let answer = await fixture.server.send(
            asJSON ? .json(.post, "/oauth/token", .object(body)) : .form("/oauth/token", parameters))
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.fields["Cache-Control"] == "no-store")
        #expect(answer.fields["Pragma"] == "no-cache")
        #expect(answer["token_type"] == "Bearer")
        #expect(answer["expires_in"]?.intValue == 86_400)
        #expect(answer["scope"] == "openid email offline_access")
        let id = try await fixture.claims(answer["id_token"]?.stringValue)
        #expect(id["iss"] == "https://dev.example/")
        #expect(id["aud"] == "app")
        #expect(id["sub"] == "auth0|ann")
        #expect(id["nonce"] == "n-0S6_WzA2Mj")
        #expect(id["sid"] == "sid-code")
        #expect(id["amr"] == ["pwd"])
        #expect(id["email"] == "ann@example.org")
        let access = try await fixture.claims(answer["access_token"]?.stringValue)
        #expect(access["aud"]?.stringsValue == [Samples.api, "https://dev.example/userinfo"])
        #expect(access["jti"]?.stringValue?.hasPrefix("authorization-code.") == true)
        #expect(access["gty"] == nil)
        #expect(try await fixture.server.auditKinds().last == "seacft")
    }

    @Test("RFC 9396 7: the token response contains the granted details")
    func details() async throws {
        let fixture = try await CodeFixture()
        let details: JSONValue = [["type": "payment", "amount": .number(JSONNumber(12))]]
        let tokens = try await fixture.tokens { $0.details = details }
        #expect(tokens.answer["authorization_details"] == details)
        #expect(try await fixture.claims(tokens.access)["authorization_details"] == details)
        let again = await fixture.refresh(tokens.refresh)
        #expect(again["authorization_details"] == details)
    }

    @Test("RFC 6749 4.1.3: a confidential client must authenticate", arguments: [nil, "wrong"])
    func confidential(secret: String?) async throws {
        let fixture = try await CodeFixture()
        let code = try await fixture.server.code { $0.client = "web" }
        expectError(
            await fixture.redeem(code, ["client_id": "web", "client_secret": secret]), 401, "invalid_client")
        #expect(await fixture.redeem(code, ["client_id": "web", "client_secret": Samples.secret]).status == 200)
    }

    @Test("RFC 6749 2.3: a secret from a public client, in the body or by HTTP Basic, is refused")
    func publicClientWithSecret() async throws {
        let fixture = try await CodeFixture()
        let code = try await fixture.server.code()
        let unnamed = CodeFixture.redeeming(code).filter { $0.key != "client_id" }
        expectError(await fixture.redeem(code, ["client_secret": Samples.secret]), 401, "invalid_client")
        for secret in [Samples.secret, ""] {
            let answer = await fixture.server.send(
                .form(
                    "/oauth/token", unnamed,
                    fields: ["Authorization": basic("app", secret)]))
            expectError(answer, 401, "invalid_client")
        }
        #expect(await fixture.redeem(code, ["client_secret": ""]).status == 200, "empty counts as absent")
    }

    @Test(
        "RFC 8707 2.2: a code gives tokens for the granted API only", arguments: ["resource", "audience"])
    func otherTarget(name: String) async throws {
        let fixture = try await CodeFixture()
        let code = try await fixture.server.code()
        expectError(await fixture.redeem(code, [name: "https://other.example/"]), 400, "invalid_target")
        expectError(await fixture.redeem(code, [name: "https://dev.example/userinfo"]), 400, "invalid_target")
        #expect(await fixture.redeem(code, [name: Samples.api]).status == 200)
        let profile = try await fixture.server.code("profile") { $0.audience = "https://dev.example/userinfo" }
        expectError(await fixture.redeem(profile, [name: Samples.api]), 400, "invalid_target")
        #expect(await fixture.redeem(profile, [name: "https://login.dev.example/userinfo"]).status == 200)
    }

    @Test("RFC 7636 4.6: a wrong verifier is refused without consuming the code; bytes are compared exactly")
    func verifier() async throws {
        let fixture = try await CodeFixture()
        let code = try await fixture.server.code()
        for wrong in ["x", Samples.verifier + "=", Samples.verifier.lowercased(), Samples.verifier + "\\_"] {
            expectError(
                await fixture.redeem(code, ["code_verifier": wrong]), 400, "invalid_grant",
                "Failed to verify code verifier")
        }
        expectError(await fixture.redeem(code, ["code_verifier": nil]), 400, "invalid_request")
        #expect(await fixture.redeem(code).status == 200)
    }

    @Test(
        "RFC 6749 4.1.3: redirect_uri equals the authorization request's, and is required if that had one",
        arguments: [nil, "", "https://evil.example/", Samples.callback + "/x", "com.example.app:/"])
    func redirectURI(presented: String?) async throws {
        let fixture = try await CodeFixture()
        let code = try await fixture.server.code()
        expectError(
            await fixture.redeem(code, ["redirect_uri": presented]), 400, "invalid_grant",
            "Invalid authorization code")
        #expect(await fixture.redeem(code, ["redirect_uri": Samples.callback + "#fragment"]).status == 200)
    }

    @Test("RFC 6749 4.1.3: if the request had no redirect_uri, the exchange needs none and accepts only the client's")
    func noRedirectURI() async throws {
        let fixture = try await CodeFixture()
        let code = try await fixture.server.code { $0.redirectURI = nil }
        expectError(await fixture.redeem(code, ["redirect_uri": "https://evil.example/"]), 400, "invalid_grant")
        #expect(await fixture.redeem(code, ["redirect_uri": nil]).status == 200)
        let other = try await fixture.server.code("other") { $0.redirectURI = nil }
        #expect(await fixture.redeem(other).status == 200)
    }

    @Test("RFC 6749 4.1.2: a code expires after a minute")
    func expiry() async throws {
        let fixture = try await CodeFixture()
        let late = try await fixture.server.code("late")
        let early = try await fixture.server.code("early")
        fixture.server.advance(.seconds(59))
        #expect(await fixture.redeem(early).status == 200)
        fixture.server.advance(.seconds(1))
        expectError(await fixture.redeem(late), 400, "invalid_grant", "Invalid authorization code")
    }

    @Test("RFC 9700 4.5: another client's code is refused and stays valid for its own client")
    func otherClient() async throws {
        let fixture = try await CodeFixture()
        let code = try await fixture.server.code()
        expectError(
            await fixture.redeem(code, ["client_id": "other-app"]), 400, "invalid_grant", "Invalid authorization code")
        #expect(await fixture.redeem(code).status == 200)
        expectError(await fixture.redeem("unknown"), 400, "invalid_grant", "Invalid authorization code")
    }

    @Test("A user who was blocked meanwhile gets no tokens, and the code is not consumed")
    func blocked() async throws {
        let fixture = try await CodeFixture()
        let code = try await fixture.server.code()
        try await fixture.server.put(Samples.user("auth0|ann") { $0.blocked = true })
        expectError(await fixture.redeem(code), 400, "invalid_grant")
        try await fixture.server.put(Samples.user("auth0|ann"))
        #expect(await fixture.redeem(code).status == 200)
    }

    @Test("RFC 6749 5.2: a client without the grant is unauthorized_client")
    func noGrant() async throws {
        let fixture = try await CodeFixture { $0.clients.append(Samples.app("bare") { $0.grantTypes = [] }) }
        expectError(await fixture.redeem("x", ["client_id": "bare"]), 400, "unauthorized_client")
        expectError(await fixture.refresh("x", ["client_id": "bare"]), 400, "unauthorized_client")
    }

    @Test(
        "RFC 6749 4.1.2: a code presented twice, by any client, revokes everything that it gave",
        arguments: ["app", "other-app"])
    func replay(client: String) async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens()
        #expect(await fixture.userInfo(tokens.access).status == 200)
        expectError(
            await fixture.redeem("first", ["client_id": client, "code_verifier": "unknown"]), 400, "invalid_grant",
            "Invalid authorization code")
        #expect(await fixture.userInfo(tokens.access).status == 401)
        expectError(await fixture.refresh(tokens.refresh), 400, "invalid_grant", unknownRefreshToken)
        #expect(await fixture.introspect(tokens.access)["active"] == false)
        #expect(try await fixture.server.auditKinds().contains("feacft"))
    }

    @Test("RFC 6749 4.1.2: a replay revokes later refreshes too, and nothing of another authorization")
    func replayAfterRefresh() async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens()
        let other = try await fixture.tokens("second")
        let refreshed = try CodeFixture.Tokens(await fixture.refresh(tokens.refresh))
        _ = await fixture.redeem("first")
        #expect(await fixture.userInfo(refreshed.access).status == 401)
        #expect(await fixture.refresh(refreshed.refresh).status == 400)
        #expect(await fixture.userInfo(other.access).status == 200)
        #expect(await fixture.refresh(other.refresh).status == 200)
    }

    @Test(
        "RFC 6749 4.1.2: one of 100 concurrent exchanges gives tokens, and the others revoke them",
        .timeLimit(.minutes(1)))
    func race() async throws {
        let fixture = try await CodeFixture()
        let code = try await fixture.server.code()
        let answers = await withTaskGroup(of: HTTPAnswer.self) { group in
            for _ in 0..<100 { group.addTask { await fixture.redeem(code) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let won = answers.filter { $0.status == 200 }
        #expect(won.count == 1)
        for answer in answers where answer.status != 200 {
            expectError(answer, 400, "invalid_grant", "Invalid authorization code")
        }
        let tokens = try CodeFixture.Tokens(try won.first.orThrow("nobody won"))
        #expect(await fixture.userInfo(tokens.access).status == 401)
        expectError(await fixture.refresh(tokens.refresh), 400, "invalid_grant", unknownRefreshToken)
    }
}
