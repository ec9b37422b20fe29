import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Attacks on refresh tokens and client identities: RFC 9700 4.14, 4.15")
struct RefreshAttackTests {
    private func tokens(_ fixture: AttackFixture) async throws -> HTTPAnswer {
        let answer = await fixture.redeem(try await fixture.code(appWithRefresh), asApp)
        #expect(answer.status == 200, "\(answer.text)")
        return answer
    }

    @Test("RFC 9700 4.14.2: a reused refresh token revokes the family, for thief and owner alike")
    func rotation() async throws {
        let fixture = try await AttackFixture()
        let first = try await tokens(fixture)
        let stolen = first["refresh_token"]?.stringValue
        let second = await fixture.refresh(stolen)
        #expect(second.status == 200)
        #expect(second["refresh_token"]?.stringValue != stolen)
        let third = await fixture.refresh(second["refresh_token"]?.stringValue)
        #expect(third.status == 200)
        expectError(await fixture.refresh(stolen), 400, "invalid_grant")
        for answer in [second, third] {
            expectError(await fixture.refresh(answer["refresh_token"]?.stringValue), 400, "invalid_grant")
        }
        for answer in [first, second, third] {
            expectError(await fixture.userInfo(answer["access_token"]?.stringValue), 401, "invalid_token")
        }
    }

    @Test("RFC 9700 4.14.2: if the thief is first, the owner's use revokes the thief's tokens")
    func thiefFirst() async throws {
        let fixture = try await AttackFixture()
        let owners = try await tokens(fixture)["refresh_token"]?.stringValue
        let thiefs = await fixture.refresh(owners)
        #expect(thiefs.status == 200)
        expectError(await fixture.refresh(owners), 400, "invalid_grant")
        expectError(await fixture.refresh(thiefs["refresh_token"]?.stringValue), 400, "invalid_grant")
        expectError(await fixture.userInfo(thiefs["access_token"]?.stringValue), 401, "invalid_token")
    }

    @Test("RFC 9700 4.14: concurrent refreshes give no second live token")
    func race() async throws {
        let fixture = try await AttackFixture()
        let token = try await tokens(fixture)["refresh_token"]?.stringValue
        let answers = await withTaskGroup(of: HTTPAnswer.self) { group in
            for _ in 0..<10 { group.addTask { await fixture.refresh(token) } }
            return await group.reduce(into: [HTTPAnswer]()) { $0.append($1) }
        }
        #expect(answers.filter { $0.status == 200 }.count <= 1)
        for answer in answers where answer.status == 200 {
            expectError(await fixture.refresh(answer["refresh_token"]?.stringValue), 400, "invalid_grant")
        }
    }

    @Test("RFC 9700 4.14.2: a refresh token is bound to its client and tenant")
    func otherClients() async throws {
        let fixture = try await AttackFixture()
        let token = try await tokens(fixture)["refresh_token"]?.stringValue
        expectError(await fixture.refresh(token, ["client_id": "other-app"]), 400, "invalid_grant")
        expectError(
            await fixture.refresh(token, ["client_id": "web", "client_secret": Samples.secret]), 400, "invalid_grant")
        expectError(await fixture.refresh(token, ["client_id": "web"]), 401, "invalid_client")
        let there: [String: String?] = [
            "grant_type": "refresh_token", "client_id": "stranger", "client_secret": Samples.secret,
            "refresh_token": token,
        ]
        #expect(await fixture.server.send(.form("/oauth/token", there, host: InProcessServer.otherHost)).status == 400)
        #expect(await fixture.refresh(token).status == 200)
    }

    @Test("RFC 9700 4.14.2: a refresh gives no scope, API or user beyond the grant")
    func widening() async throws {
        let fixture = try await AttackFixture()
        let granted = try await tokens(fixture)
        #expect(granted["scope"] == "openid offline_access")
        let token = granted["refresh_token"]?.stringValue
        for scope in ["openid pay:read", "openid offline_access email", "profile", "pay:send", "openid\topenid", "\""] {
            expectError(await fixture.refresh(token, ["scope": scope]), 400, "invalid_scope")
        }
        expectError(await fixture.refresh(token, ["audience": "https://other-api.example/"]), 400, "invalid_target")
        let less = await fixture.refresh(token, ["scope": "openid", "sub": "auth0|bob", "user_id": "auth0|bob"])
        #expect(less["scope"] == "openid")
        #expect(try await fixture.claims(less["access_token"])["sub"] == "auth0|ann")
    }

    @Test("RFC 9700 4.14.2: refresh tokens end at their lifetime, with their user and on revocation")
    func ends() async throws {
        let fixture = try await AttackFixture()
        let revoked = try await tokens(fixture)["refresh_token"]?.stringValue
        // Only its client may revoke the token.
        #expect(await fixture.post("/oauth/revoke", ["client_id": "other-app", "token": revoked]).status == 200)
        let next = await fixture.refresh(revoked)["refresh_token"]?.stringValue
        #expect(next != nil)
        #expect(await fixture.post("/oauth/revoke", ["client_id": "app", "token": next]).status == 200)
        expectError(await fixture.refresh(next), 400, "invalid_grant")
        let blocked = try await tokens(fixture)["refresh_token"]?.stringValue
        let late = try await tokens(fixture)["refresh_token"]?.stringValue
        var ann = Samples.user()
        ann.email = EmailAddress(parsing: AttackFixture.ann)
        ann.blocked = true
        try await fixture.server.put(ann)
        expectError(await fixture.refresh(blocked), 400, "invalid_grant")
        ann.blocked = false
        try await fixture.server.put(ann)
        #expect(await fixture.refresh(blocked).status == 200)
        fixture.server.advance(.seconds(31_557_601))
        expectError(await fixture.refresh(late), 400, "invalid_grant")
    }

    @Test("RFC 9700 4.14: there is no refresh token unless user and API allow offline access")
    func onlyWhereAsked() async throws {
        let fixture = try await AttackFixture()
        let plain = await fixture.redeem(
            try await fixture.code(appWithRefresh.merging(["scope": "openid"]) { $1 }), asApp)
        #expect(plain["refresh_token"] == nil)
        let closed = try await AttackFixture { $0.apis = [try Samples.resourceServer()] }
        let tokens = await closed.redeem(try await closed.code(appWithRefresh), asApp)
        #expect(tokens.status == 200)
        #expect(tokens["refresh_token"] == nil)
    }

    // MARK: clients as users

    @Test("RFC 9700 4.15: the subject of a client's own token is no user, and the token opens no user's claims")
    func clientCredentials() async throws {
        let fixture = try await AttackFixture()
        let answer = await fixture.post(
            "/oauth/token",
            [
                "grant_type": "client_credentials", "client_id": "service", "client_secret": Samples.secret,
                "audience": Samples.api, "scope": "pay:read", "sub": "auth0|ann", "username": AttackFixture.ann,
            ])
        #expect(answer.status == 200, "\(answer.text)")
        let claims = try await fixture.claims(answer["access_token"])
        #expect(claims["sub"] == "service@clients")
        #expect(claims["gty"] == "client-credentials")
        #expect(answer["id_token"] == nil && answer["refresh_token"] == nil)
        expectError(await fixture.userInfo(answer["access_token"]?.stringValue), 401, "invalid_token")
    }

    @Test("RFC 9700 4.15: public clients and clients with a wrong secret get no token of their own")
    func publicClients() async throws {
        let fixture = try await AttackFixture { setup in
            setup.clients[0].grantTypes.insert(.clientCredentials)
            setup.clients[0].limit(to: [Samples.api: .none])
        }
        let asking: [String: String?] = ["grant_type": "client_credentials", "audience": Samples.api]
        for client: [String: String?] in [
            ["client_id": "app"], ["client_id": "app", "client_secret": ""],
            ["client_id": "app", "client_secret": Samples.secret], ["client_id": "service"],
            ["client_id": "service", "client_secret": "wrong"], ["client_id": "web", "client_secret": Samples.secret],
        ] {
            let answer = await fixture.post("/oauth/token", asking.merging(client) { $1 })
            #expect([400, 401].contains(answer.status), "\(answer.text)")
            #expect(answer["access_token"] == nil)
        }
    }
}
