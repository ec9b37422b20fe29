import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("RFC 6749 4.1.3, RFC 7636 4.6: authorization codes at the token endpoint")
struct AuthorizationCodeGrantTests {
    @Test("RFC 6749 4.1.4, OIDC Core 3.1.3.3: tokens for a code, as a form and as JSON", arguments: [false, true])
    func tokens(asJSON: Bool) async throws {
        let world = try await CodeWorld()
        let code = try await world.server.code { $0.scope = "openid email offline_access" }
        let parameters = CodeWorld.redeeming(code)
        var body = JSONObject()
        for (name, value) in parameters { body[name] = value.map(JSONValue.string) }
        let answer = await world.server.send(
            asJSON ? .json(.post, "/oauth/token", .object(body)) : .form("/oauth/token", parameters))
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.fields["Cache-Control"] == "no-store")
        #expect(answer.fields["Pragma"] == "no-cache")
        #expect(answer["token_type"] == "Bearer")
        #expect(answer["expires_in"]?.intValue == 86_400)
        #expect(answer["scope"] == "openid email offline_access")
        let id = try await world.claims(answer["id_token"]?.stringValue)
        #expect(id["iss"] == "https://dev.example/")
        #expect(id["aud"] == "app")
        #expect(id["sub"] == "auth0|ann")
        #expect(id["nonce"] == "n-0S6_WzA2Mj")
        #expect(id["sid"] == "sid-code")
        #expect(id["amr"] == ["pwd"])
        #expect(id["email"] == "ann@example.org")
        let access = try await world.claims(answer["access_token"]?.stringValue)
        #expect(access["aud"]?.stringsValue == [Samples.api, "https://dev.example/userinfo"])
        #expect(access["jti"]?.stringValue?.hasPrefix("authorization-code.") == true)
        #expect(access["gty"] == nil)
        #expect(try await world.server.auditKinds().last == "seacft")
    }

    @Test("RFC 9396 7: the details that were granted come back")
    func details() async throws {
        let world = try await CodeWorld()
        let details: JSONValue = [["type": "payment", "amount": .number(JSONNumber(12))]]
        let tokens = try await world.tokens { $0.details = details }
        #expect(tokens.answer["authorization_details"] == details)
        #expect(try await world.claims(tokens.access)["authorization_details"] == details)
        let again = await world.refresh(tokens.refresh)
        #expect(again["authorization_details"] == details)
    }

    @Test("RFC 6749 4.1.3: a confidential client proves itself", arguments: [nil, "wrong"])
    func confidential(secret: String?) async throws {
        let world = try await CodeWorld()
        let code = try await world.server.code { $0.client = "web" }
        expectError(
            await world.redeem(code, ["client_id": "web", "client_secret": secret]), 401, "invalid_client")
        #expect(await world.redeem(code, ["client_id": "web", "client_secret": Samples.secret]).status == 200)
    }

    @Test("RFC 6749 2.3: a public client that sends a secret, in the body or by HTTP Basic, uses a wrong method")
    func publicClientWithSecret() async throws {
        let world = try await CodeWorld()
        let code = try await world.server.code()
        let unnamed = CodeWorld.redeeming(code).filter { $0.key != "client_id" }
        expectError(await world.redeem(code, ["client_secret": Samples.secret]), 401, "invalid_client")
        for secret in [Samples.secret, ""] {
            let answer = await world.server.send(
                .form(
                    "/oauth/token", unnamed,
                    fields: ["Authorization": basic("app", secret)]))
            expectError(answer, 401, "invalid_client")
        }
        #expect(await world.redeem(code, ["client_secret": ""]).status == 200, "empty counts as absent")
    }

    @Test(
        "RFC 8707 2.2: a code gives tokens for the API that was granted, or none", arguments: ["resource", "audience"])
    func otherTarget(name: String) async throws {
        let world = try await CodeWorld()
        let code = try await world.server.code()
        expectError(await world.redeem(code, [name: "https://other.example/"]), 400, "invalid_target")
        expectError(await world.redeem(code, [name: "https://dev.example/userinfo"]), 400, "invalid_target")
        #expect(await world.redeem(code, [name: Samples.api]).status == 200)
        let profile = try await world.server.code("profile") { $0.audience = "https://dev.example/userinfo" }
        expectError(await world.redeem(profile, [name: Samples.api]), 400, "invalid_target")
        #expect(await world.redeem(profile, [name: "https://login.dev.example/userinfo"]).status == 200)
    }

    @Test("RFC 7636 4.6: a wrong verifier is refused and burns nothing; it is compared as the bytes that came")
    func verifier() async throws {
        let world = try await CodeWorld()
        let code = try await world.server.code()
        for wrong in ["x", Samples.verifier + "=", Samples.verifier.lowercased(), Samples.verifier + "\\_"] {
            expectError(
                await world.redeem(code, ["code_verifier": wrong]), 400, "invalid_grant",
                "Failed to verify code verifier")
        }
        expectError(await world.redeem(code, ["code_verifier": nil]), 400, "invalid_request")
        #expect(await world.redeem(code).status == 200)
    }

    @Test(
        "RFC 6749 4.1.3: redirect_uri is the one of the authorization request, and there where that named one",
        arguments: [nil, "", "https://evil.example/", Samples.callback + "/x", "com.example.app:/"])
    func redirectURI(presented: String?) async throws {
        let world = try await CodeWorld()
        let code = try await world.server.code()
        expectError(
            await world.redeem(code, ["redirect_uri": presented]), 400, "invalid_grant",
            "Invalid authorization code")
        #expect(await world.redeem(code, ["redirect_uri": Samples.callback + "#fragment"]).status == 200)
    }

    @Test("RFC 6749 4.1.3: where the request named no redirect_uri, none is needed, and no other than the client's")
    func noRedirectURI() async throws {
        let world = try await CodeWorld()
        let code = try await world.server.code { $0.redirectURI = nil }
        expectError(await world.redeem(code, ["redirect_uri": "https://evil.example/"]), 400, "invalid_grant")
        #expect(await world.redeem(code, ["redirect_uri": nil]).status == 200)
        let other = try await world.server.code("other") { $0.redirectURI = nil }
        #expect(await world.redeem(other).status == 200)
    }

    @Test("RFC 6749 4.1.2: a code lives for a minute")
    func expiry() async throws {
        let world = try await CodeWorld()
        let late = try await world.server.code("late")
        let early = try await world.server.code("early")
        world.server.advance(.seconds(59))
        #expect(await world.redeem(early).status == 200)
        world.server.advance(.seconds(1))
        expectError(await world.redeem(late), 400, "invalid_grant", "Invalid authorization code")
    }

    @Test("RFC 9700 4.5: another client's code is worth nothing, and stays good for its own")
    func otherClient() async throws {
        let world = try await CodeWorld()
        let code = try await world.server.code()
        expectError(
            await world.redeem(code, ["client_id": "other-app"]), 400, "invalid_grant", "Invalid authorization code")
        #expect(await world.redeem(code).status == 200)
        expectError(await world.redeem("unknown"), 400, "invalid_grant", "Invalid authorization code")
    }

    @Test("A user who was blocked meanwhile gets no tokens; nothing is burned")
    func blocked() async throws {
        let world = try await CodeWorld()
        let code = try await world.server.code()
        try await world.server.put(Samples.user("auth0|ann") { $0.blocked = true })
        expectError(await world.redeem(code), 400, "invalid_grant")
        try await world.server.put(Samples.user("auth0|ann"))
        #expect(await world.redeem(code).status == 200)
    }

    @Test("RFC 6749 5.2: a client without the grant is unauthorized_client")
    func noGrant() async throws {
        let world = try await CodeWorld { $0.clients.append(Samples.app("bare") { $0.grantTypes = [] }) }
        expectError(await world.redeem("x", ["client_id": "bare"]), 400, "unauthorized_client")
        expectError(await world.refresh("x", ["client_id": "bare"]), 400, "unauthorized_client")
    }

    @Test(
        "RFC 6749 4.1.2: a code that comes twice ends everything that it gave, whoever presents it",
        arguments: ["app", "other-app"])
    func replay(client: String) async throws {
        let world = try await CodeWorld()
        let tokens = try await world.tokens()
        #expect(await world.userInfo(tokens.access).status == 200)
        expectError(
            await world.redeem("first", ["client_id": client, "code_verifier": "unknown"]), 400, "invalid_grant",
            "Invalid authorization code")
        #expect(await world.userInfo(tokens.access).status == 401)
        expectError(await world.refresh(tokens.refresh), 400, "invalid_grant", unknownRefreshToken)
        #expect(await world.introspect(tokens.access)["active"] == false)
        #expect(try await world.server.auditKinds().contains("feacft"))
    }

    @Test("RFC 6749 4.1.2: a replay ends what a refresh gave later, too, and nothing of another authorization")
    func replayAfterRefresh() async throws {
        let world = try await CodeWorld()
        let tokens = try await world.tokens()
        let other = try await world.tokens("second")
        let refreshed = try CodeWorld.Tokens(await world.refresh(tokens.refresh))
        _ = await world.redeem("first")
        #expect(await world.userInfo(refreshed.access).status == 401)
        #expect(await world.refresh(refreshed.refresh).status == 400)
        #expect(await world.userInfo(other.access).status == 200)
        #expect(await world.refresh(other.refresh).status == 200)
    }

    @Test(
        "RFC 6749 4.1.2: of a hundred exchanges of a code at once one gives tokens, and the others end them",
        .timeLimit(.minutes(1)))
    func race() async throws {
        let world = try await CodeWorld()
        let code = try await world.server.code()
        let answers = await withTaskGroup(of: HTTPAnswer.self) { group in
            for _ in 0..<100 { group.addTask { await world.redeem(code) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let won = answers.filter { $0.status == 200 }
        #expect(won.count == 1)
        for answer in answers where answer.status != 200 {
            expectError(answer, 400, "invalid_grant", "Invalid authorization code")
        }
        let tokens = try CodeWorld.Tokens(try won.first.orThrow("nobody won"))
        #expect(await world.userInfo(tokens.access).status == 401)
        expectError(await world.refresh(tokens.refresh), 400, "invalid_grant", unknownRefreshToken)
    }
}
