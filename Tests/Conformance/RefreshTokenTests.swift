import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("RFC 6749 6, RFC 9700 4.14: refresh tokens")
struct RefreshTokenTests {
    @Test("RFC 9700 4.14.2: a public client's refresh token rotates, and the new one is valid")
    func rotation() async throws {
        let fixture = try await CodeFixture()
        var tokens = try await fixture.tokens()
        var seen: Set = [try tokens.refresh.orThrow("no refresh token")]
        for _ in 0..<3 {
            fixture.server.advance(.seconds(10))
            tokens = try CodeFixture.Tokens(await fixture.refresh(tokens.refresh))
            #expect(seen.insert(try tokens.refresh.orThrow("no refresh token")).inserted)
            #expect(await fixture.userInfo(tokens.access).status == 200)
        }
        #expect(try await fixture.server.auditKinds().filter { $0 == "sertft" }.count == 3)
        #expect(try await fixture.claims(tokens.access)["gty"] == "refresh_token")
    }

    @Test("A confidential client's refresh token does not rotate and is not in the answer")
    func noRotation() async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens { $0.client = "web" }
        for _ in 0..<3 {
            let answer = await fixture.refresh(
                tokens.refresh, ["client_id": "web", "client_secret": Samples.secret])
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["refresh_token"] == nil)
        }
        expectError(await fixture.refresh(tokens.refresh, ["client_id": "web"]), 401, "invalid_client")
    }

    @Test(
        "RFC 9700 4.14: a stolen token used before or after its owner's revokes the family",
        arguments: [false, true])
    func theft(thiefIsFirst: Bool) async throws {
        let fixture = try await CodeFixture()
        let stolen = try await fixture.tokens()
        let first = try CodeFixture.Tokens(await fixture.refresh(stolen.refresh))
        if !thiefIsFirst { _ = try CodeFixture.Tokens(await fixture.refresh(first.refresh)) }
        expectError(await fixture.refresh(stolen.refresh), 400, "invalid_grant", unknownRefreshToken)
        expectError(await fixture.refresh(first.refresh), 400, "invalid_grant", unknownRefreshToken)
        #expect(await fixture.userInfo(stolen.access).status == 401)
        #expect(await fixture.userInfo(first.access).status == 401)
        let log = try await fixture.server.auditText()
        #expect(try await fixture.server.auditKinds().filter { $0 == "ferrt" }.count == 1)
        #expect(
            try await fixture.server.auditKinds().filter { $0 == "fertft" }.count == 1,
            "the second; the first was noted with what it ended")
        #expect(log.contains("familyId"))
        #expect(log.contains(#"\"latestCounter\":\#(thiefIsFirst ? 1 : 2)"#), "\(log)")
        #expect(log.contains(#"\"tokenCounter\":0"#), "\(log)")
    }

    @Test("A forged token is refused and revokes nothing")
    func forged() async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens()
        let token = try tokens.refresh.orThrow("no refresh token")
        for forged in [token.dropLast() + (token.last == "A" ? "B" : "A"), "v1.Mxyz", "x"] {
            expectError(await fixture.refresh(String(forged)), 400, "invalid_grant", unknownRefreshToken)
        }
        #expect(await fixture.refresh(token).status == 200)
    }

    @Test("Within the leeway the previous token gives the same successor; later it counts as stolen")
    func leeway() async throws {
        let fixture = try await CodeFixture { $0.clients[0].refreshTokens.leeway = 10 }
        let tokens = try await fixture.tokens()
        let first = try CodeFixture.Tokens(await fixture.refresh(tokens.refresh))
        fixture.server.advance(.seconds(9))
        let again = try CodeFixture.Tokens(await fixture.refresh(tokens.refresh))
        #expect(again.refresh == first.refresh)
        #expect(await fixture.userInfo(again.access).status == 200)
        fixture.server.advance(.seconds(1))
        expectError(await fixture.refresh(tokens.refresh), 400, "invalid_grant", unknownRefreshToken)
        #expect(await fixture.refresh(first.refresh).status == 400)
    }

    @Test(
        "RFC 9700 4.14.2: a used token whose request carries an earlier time is repeated within the leeway alone",
        arguments: [(leeway: 0, seconds: 1), (0, 0), (10, 9), (10, 10), (10, 3600)])
    func lateClock(leeway: Int, seconds: Int) async throws {
        let fixture = try await CodeFixture { $0.clients[0].refreshTokens.leeway = leeway }
        let tokens = try await fixture.tokens()
        fixture.server.advance(.seconds(3600))
        let next = try CodeFixture.Tokens(await fixture.refresh(tokens.refresh)).refresh
        // Times of requests are not in the order of their exchanges, on one node by an instant, on two by their clocks.
        fixture.server.advance(.seconds(-seconds))
        let isRepeated = seconds < leeway
        let again = await fixture.refresh(tokens.refresh)
        #expect((again.status == 200) == isRepeated)
        #expect(again["refresh_token"]?.stringValue == (isRepeated ? next : nil))
        #expect((await fixture.refresh(next).status == 200) == isRepeated, "reuse ends the family")
    }

    @Test("The leeway covers only the previous token, not older ones")
    func leewayOfOne() async throws {
        let fixture = try await CodeFixture { $0.clients[0].refreshTokens.leeway = 10 }
        let tokens = try await fixture.tokens()
        let first = try CodeFixture.Tokens(await fixture.refresh(tokens.refresh))
        let second = try CodeFixture.Tokens(await fixture.refresh(first.refresh))
        #expect(await fixture.refresh(tokens.refresh).status == 400)
        #expect(await fixture.refresh(second.refresh).status == 400, "the family was revoked")
    }

    @Test("One of 100 concurrent refreshes without leeway succeeds, and the family is revoked", .timeLimit(.minutes(1)))
    func race() async throws {
        let fixture = try await CodeFixture { $0.tenant.settings.actionsPerMinute = 1000 }
        let token = try await fixture.tokens().refresh
        let answers = await exchanges(of: token, in: fixture)
        #expect(answers.filter { $0.status == 200 }.count == 1)
        for answer in answers where answer.status != 200 {
            expectError(answer, 400, "invalid_grant", unknownRefreshToken)
        }
        let winner = answers.first { $0.status == 200 }
        #expect(await fixture.refresh(winner?["refresh_token"]?.stringValue).status == 400)
    }

    @Test(
        "All of 100 concurrent refreshes within the leeway succeed with the same next token",
        .timeLimit(.minutes(1)))
    func raceWithLeeway() async throws {
        let fixture = try await CodeFixture { setup in
            setup.clients[0].refreshTokens.leeway = 10
            setup.tenant.settings.actionsPerMinute = 1000
        }
        let token = try await fixture.tokens().refresh
        let answers = await exchanges(of: token, in: fixture)
        #expect(answers.allSatisfy { $0.status == 200 })
        #expect(Set(answers.map { $0["refresh_token"]?.stringValue }).count == 1)
        #expect(Set(answers.map { $0["access_token"]?.stringValue }).count == 100)
        #expect(await fixture.refresh(answers.first?["refresh_token"]?.stringValue).status == 200)
    }

    private func exchanges(of token: String?, in fixture: CodeFixture) async -> [HTTPAnswer] {
        await withTaskGroup(of: HTTPAnswer.self) { group in
            for _ in 0..<100 { group.addTask { await fixture.refresh(token) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("A family ends at its absolute lifetime even if used")
    func absoluteLifetime() async throws {
        let fixture = try await CodeFixture {
            $0.tenant.settings.refreshTokenLifetime = 1000
            $0.clients[1].refreshTokens.lifetime = 100
        }
        for (client, lifetime) in [("app", 1000), ("other-app", 100)] {
            var tokens = try await fixture.tokens("code-\(client)") { $0.client = client }
            for _ in 0..<9 {
                fixture.server.advance(.seconds(lifetime / 10))
                tokens = try CodeFixture.Tokens(await fixture.refresh(tokens.refresh, ["client_id": client]))
            }
            fixture.server.advance(.seconds(lifetime / 10))
            expectError(
                await fixture.refresh(tokens.refresh, ["client_id": client]), 400, "invalid_grant",
                unknownRefreshToken)
        }
    }

    @Test("A family ends when unused for the idle lifetime", arguments: ["app", "web"])
    func idleLifetime(client: String) async throws {
        let fixture = try await CodeFixture {
            for index in $0.clients.indices { $0.clients[index].refreshTokens.idleLifetime = 100 }
        }
        let secret: String? = client == "web" ? Samples.secret : nil
        let credentials = ["client_id": client, "client_secret": secret]
        var token = try await fixture.tokens { $0.client = client }.refresh
        for _ in 0..<3 {
            fixture.server.advance(.seconds(99))
            let answer = await fixture.refresh(token, credentials)
            #expect(answer.status == 200)
            token = answer["refresh_token"]?.stringValue ?? token
        }
        fixture.server.advance(.seconds(100))
        expectError(await fixture.refresh(token, credentials), 400, "invalid_grant", unknownRefreshToken)
    }

    @Test("RFC 6749 6: a narrower scope narrows only the access token; a wider one is invalid_scope")
    func scope() async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens { $0.scope = "openid pay:read offline_access" }
        expectError(
            await fixture.refresh(tokens.refresh, ["scope": "openid pay:send"]), 400, "invalid_scope",
            "The refresh token was not granted: pay:send")
        let narrow = try CodeFixture.Tokens(await fixture.refresh(tokens.refresh, ["scope": "pay:read"]))
        #expect(narrow.answer["scope"] == "pay:read")
        #expect(narrow.answer["id_token"] == nil)
        #expect(try await fixture.claims(narrow.access)["aud"] == .string(Samples.api))
        let whole = await fixture.refresh(narrow.refresh)
        #expect(whole["scope"] == "openid pay:read offline_access")
    }

    @Test("The next access token lacks permissions that the user lost")
    func permissions() async throws {
        let fixture = try await CodeFixture { setup in
            setup.apis = [
                try Samples.resourceServer {
                    $0.allowsOfflineAccess = true
                    $0.enforcesPolicies = true
                    $0.tokenDialect = .rfc9068Authz
                }
            ]
            setup.roles = [
                Role(
                    id: RoleID("payer"), name: "Payer", description: "",
                    permissions: [.init(resourceServer: Samples.api, scope: "pay:send")])
            ]
            setup.users[0].roles = [RoleID("payer")]
        }
        let tokens = try await fixture.tokens { $0.scope = "openid pay:send offline_access" }
        let before = try CodeFixture.Tokens(await fixture.refresh(tokens.refresh))
        #expect(before.answer["scope"] == "openid pay:send offline_access")
        #expect(try await fixture.claims(before.access)["permissions"] == ["pay:send"])
        try await fixture.server.put(Samples.user("auth0|ann"))
        let after = try CodeFixture.Tokens(await fixture.refresh(before.refresh))
        #expect(after.answer["scope"] == "openid offline_access")
        #expect(try await fixture.claims(after.access)["permissions"] == [])
    }

    @Test("OIDC Core 12.2: the refreshed ID token has the same subject, auth_time and sid, and no nonce")
    func idToken() async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens()
        let first = try await fixture.claims(tokens.answer["id_token"]?.stringValue)
        fixture.server.advance(.seconds(500))
        let answer = await fixture.refresh(tokens.refresh)
        let second = try await fixture.claims(answer["id_token"]?.stringValue)
        for name in ["iss", "sub", "aud", "auth_time", "sid", "amr"] { #expect(first[name] == second[name], "\(name)") }
        #expect(second["nonce"] == nil)
        #expect(second["iat"]?.intValue == (first["iat"]?.intValue ?? 0) + 500)
    }

    @Test("A blocked user gets no tokens and can refresh again once unblocked")
    func blocked() async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens()
        try await fixture.server.put(Samples.user("auth0|ann") { $0.blocked = true })
        expectError(await fixture.refresh(tokens.refresh), 400, "invalid_grant", "The user is blocked")
        try await fixture.server.put(Samples.user("auth0|ann"))
        #expect(await fixture.refresh(tokens.refresh).status == 200)
    }

    @Test("RFC 6749 10.4: another client's token is refused and stays unchanged")
    func otherClient() async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens()
        let before = try await fixture.server.dump()
        expectError(
            await fixture.refresh(tokens.refresh, ["client_id": "other-app"]), 400, "invalid_grant",
            unknownRefreshToken)
        #expect(try await fixture.server.dump() == before)
        #expect(await fixture.refresh(tokens.refresh).status == 200)
    }

    @Test("RFC 8707 2.2: an audience other than the granted one is invalid_target")
    func audience() async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens()
        expectError(
            await fixture.refresh(tokens.refresh, ["audience": "https://other.example/"]), 400, "invalid_target")
        expectError(
            await fixture.refresh(tokens.refresh, ["resource": "https://other.example/"]), 400, "invalid_target")
        #expect(await fixture.refresh(tokens.refresh, ["audience": Samples.api]).status == 200)
    }

    @Test("Another tenant's token is refused")
    func otherTenant() async throws {
        let fixture = try await CodeFixture()
        let tokens = try await fixture.tokens()
        let answer = await fixture.server.send(
            .form(
                "/oauth/token",
                [
                    "grant_type": "refresh_token", "client_id": "stranger", "client_secret": Samples.secret,
                    "refresh_token": tokens.refresh,
                ], host: InProcessServer.otherHost))
        expectError(answer, 400, "invalid_grant")
    }
}
