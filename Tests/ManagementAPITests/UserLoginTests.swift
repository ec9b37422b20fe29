import Administration
import AuthorizationCore
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Management API: sessions, refresh tokens and grants")
struct UserLoginTests {
    static let ann = "/users/auth0%7Cann"

    /// The app gets refresh tokens, and `told` records notifications.
    private func fixture(
        told: TestInbox = TestInbox(), connections: [LoginConnection] = []
    ) async throws -> ManagementFixture {
        try await ManagementFixture { setup in
            setup.connections = connections
            setup.clients.append(Samples.app { $0.backchannelLogoutURL = "https://app.example/logout" })
            setup.apis = [try Samples.resourceServer { $0.allowsOfflineAccess = true }]
            setup.http = HandlerClient(["https://app.example": { told.take($0) }])
        }
    }

    /// Tokens of a new authorization in its own session.
    private func tokens(_ fixture: ManagementFixture, _ code: String, consents: Bool = false) async throws -> HTTPAnswer
    {
        let code = try await fixture.server.code(code) { $0.consents = consents }
        return await fixture.server.send(
            .form(
                "/oauth/token",
                [
                    "grant_type": "authorization_code", "client_id": "app", "code": code,
                    "redirect_uri": Samples.callback, "code_verifier": Samples.verifier,
                ]))
    }

    private func refresh(_ fixture: ManagementFixture, _ tokens: HTTPAnswer) async -> HTTPAnswer {
        await fixture.server.send(
            .form(
                "/oauth/token",
                [
                    "grant_type": "refresh_token", "client_id": "app",
                    "refresh_token": tokens["refresh_token"]?.stringValue,
                ]))
    }

    @Test("sessions are listed, shown and ended; their clients are notified")
    func sessions() async throws {
        let told = TestInbox()
        let fixture = try await fixture(told: told)
        for code in ["one", "two", "three"] { _ = try await tokens(fixture, code) }
        let first = await fixture.get("\(Self.ann)/sessions?take=2").json
        #expect(first["sessions"]?.arrayValue?.count == 2)
        let next = try (first["next"]?.stringValue).orThrow("no next page")
        let second = await fixture.get("\(Self.ann)/sessions?take=2&from=\(next)").json
        #expect(second["sessions"]?.arrayValue?.count == 1)
        #expect(second["next"] == nil)
        let shown = await fixture.get("/sessions/sid-one").json
        #expect(shown["user_id"] == "auth0|ann")
        #expect(shown["clients"] == [["client_id": "app"]])
        #expect(await fixture.delete("/sessions/sid-one").status == 202)
        #expect(await fixture.get("/sessions/sid-one").code == "inexistent_session")
        #expect(await fixture.delete("/sessions/sid-one").status == 202)
        await fixture.server.notifyingClients { await told.wait(for: 1) }
        #expect(await fixture.delete("\(Self.ann)/sessions").status == 202)
        await fixture.server.notifyingClients { await told.wait(for: 3) }
        #expect(await fixture.get("\(Self.ann)/sessions").json == ["sessions": []])
        #expect(await fixture.get("/users/auth0%7Cgone/sessions").code == "inexistent_user")
    }

    @Test("ending a session keeps its refresh tokens; revoking it does not")
    func revokedSession() async throws {
        let fixture = try await fixture()
        let kept = try await tokens(fixture, "one")
        let gone = try await tokens(fixture, "two")
        #expect(await fixture.delete("/sessions/sid-one").status == 202)
        #expect(await fixture.send(.post, "/sessions/sid-two/revoke").status == 202)
        #expect(await refresh(fixture, kept).status == 200)
        #expect(await refresh(fixture, gone).code == "invalid_grant")
    }

    @Test("refresh tokens are listed, annotated and revoked, each with its access tokens")
    func refreshTokens() async throws {
        let fixture = try await fixture()
        let given = try await tokens(fixture, "one")
        _ = try await tokens(fixture, "two")
        let listed = await fixture.get("\(Self.ann)/refresh-tokens").json["refresh_tokens"]
        #expect(listed?.arrayValue?.count == 2)
        let path = "/refresh-tokens/authorization-one"
        let shown = await fixture.get(path)
        #expect(shown["client_id"] == "app")
        #expect(shown["session_id"] == "sid-one")
        #expect(shown["rotating"] == true)
        #expect(
            shown["resource_servers"] == [
                ["audience": .string(Samples.api), "scopes": ["openid", "offline_access"]]
            ])
        let changed = await fixture.patch(path, ["refresh_token_metadata": ["device": "kiosk"]])
        #expect(changed["refresh_token_metadata"] == ["device": "kiosk"])
        #expect(await fixture.get(path).json == changed.json)
        #expect(await fixture.patch(path, ["refresh_token_metadata": ["device": 7]]).status == 400)
        #expect(await fixture.delete(path).status == 202)
        #expect(await fixture.get(path).code == "inexistent_refresh_token")
        #expect(await refresh(fixture, given).code == "invalid_grant")
        let bearer = "Bearer \(given["access_token"]?.stringValue ?? "")"
        #expect(await fixture.server.send(.get("/userinfo", fields: ["Authorization": bearer])).status == 401)
        #expect(await fixture.get("\(Self.ann)/refresh-tokens").json["refresh_tokens"]?.arrayValue?.count == 1)
    }

    private static let filters: [(body: JSONValue, status: Int, left: Int)] = [
        ([:], 400, 2), (["audience": .string(Samples.api)], 400, 2), (["ids": ["authorization-one"]], 204, 1),
        (["user_id": "auth0|ann"], 204, 0), (["user_id": "auth0|bob"], 204, 2), (["client_id": "app"], 204, 0),
        (["user_id": "auth0|ann", "client_id": "agent"], 204, 2), (["ids": ["unknown"]], 204, 2),
        (["user_id": "auth0|zoe"], 404, 2),
    ]

    @Test("refresh tokens are revoked by filter", arguments: filters)
    func revoke(body: JSONValue, status: Int, left: Int) async throws {
        let fixture = try await fixture()
        for code in ["one", "two"] { _ = try await tokens(fixture, code) }
        #expect(await fixture.post("/refresh-tokens/revoke", body).status == status)
        #expect(await fixture.get("\(Self.ann)/refresh-tokens").json["refresh_tokens"]?.arrayValue?.count == left)
    }

    @Test("revoke-access ends everything, one session, or only sessions")
    func revokeAccess() async throws {
        let fixture = try await fixture()
        for code in ["one", "two", "three"] { _ = try await tokens(fixture, code) }
        func left() async -> [Int?] {
            [
                await fixture.get("\(Self.ann)/sessions").json["sessions"]?.arrayValue?.count,
                await fixture.get("\(Self.ann)/refresh-tokens").json["refresh_tokens"]?.arrayValue?.count,
            ]
        }
        #expect(await fixture.post("\(Self.ann)/revoke-access", ["session_id": "sid-one"]).status == 204)
        #expect(await left() == [2, 2])
        #expect(await fixture.post("/users/auth0%7Cbob/revoke-access", ["session_id": "sid-two"]).status == 404)
        #expect(await fixture.post("\(Self.ann)/revoke-access", ["preserve_refresh_tokens": true]).status == 204)
        #expect(await left() == [0, 2])
        #expect(await fixture.send(.post, "\(Self.ann)/revoke-access").status == 204)
        #expect(await left() == [0, 0])
    }

    /// Ways to end all of a user's logins.
    enum Ending: String, Sendable, CaseIterable {
        case access, accessKeepingRefreshTokens, block, password

        func end(_ fixture: ManagementFixture) async -> Int {
            switch self {
            case .access: await fixture.send(.post, "\(UserLoginTests.ann)/revoke-access").status
            case .accessKeepingRefreshTokens:
                await fixture.post("\(UserLoginTests.ann)/revoke-access", ["preserve_refresh_tokens": true]).status
            case .block:
                await fixture.patch(UserLoginTests.ann, ["blocked": true]).status
                    + fixture.patch(UserLoginTests.ann, ["blocked": false]).status - 200
            case .password: await fixture.patch(UserLoginTests.ann, ["password": "wide river under snow"]).status
            }
        }
    }

    @Test("A code issued before the end of logins yields no tokens", arguments: Ending.allCases)
    func codes(_ ending: Ending) async throws {
        let fixture = try await fixture()
        let code = try await fixture.server.code("late") { $0.consents = false }
        #expect((200...204).contains(await ending.end(fixture)))
        let answer = await fixture.server.send(
            .form(
                "/oauth/token",
                [
                    "grant_type": "authorization_code", "client_id": "app", "code": code,
                    "redirect_uri": Samples.callback, "code_verifier": Samples.verifier,
                ]))
        #expect(answer.code == "invalid_grant")
    }

    @Test("revoke-access of one session revokes only that session's codes")
    func codesOfOneSession() async throws {
        let fixture = try await fixture()
        _ = try await fixture.server.code("one") { $0.consents = false }
        let other = try await fixture.server.code("two") { $0.consents = false }
        #expect(await fixture.post("\(Self.ann)/revoke-access", ["session_id": "sid-one"]).status == 204)
        for (code, status) in [("one", 400), (other, 200)] {
            let answer = await fixture.server.send(
                .form(
                    "/oauth/token",
                    [
                        "grant_type": "authorization_code", "client_id": "app", "code": code,
                        "redirect_uri": Samples.callback, "code_verifier": Samples.verifier,
                    ]))
            #expect(answer.status == status, "\(answer.text)")
        }
    }

    @Test("A request approved before the end of logins yields no tokens", arguments: Ending.allCases)
    func approved(_ ending: Ending) async throws {
        let fixture = try await fixture()
        let phone = try await InProcessPhone(in: fixture.server)
        let client = InProcessClient(via: fixture.server)
        let approved = try await client.started()
        let waiting = try await client.started()
        #expect(try await phone.decide(approved).status == 204)
        #expect((200...204).contains(await ending.end(fixture)))
        #expect(try await client.poll(approved).code == "invalid_grant")
        // The user may still decide a pending request.
        #expect(try await phone.decide(waiting).status == 204)
        #expect(try await client.poll(waiting).status == 200)
    }

    @Test("A request yields no tokens after its approving phone was removed")
    func removedPhone() async throws {
        let fixture = try await fixture()
        let client = InProcessClient(via: fixture.server)
        let phone = try await InProcessPhone(in: fixture.server)
        let id = try await client.started()
        #expect(try await phone.decide(id).status == 204)
        #expect(await fixture.delete("/guardian/enrollments/\(phone.id)").status == 204)
        #expect(try await client.poll(id).code == "invalid_grant")
    }

    @Test(
        "A login that waits for the second factor starts over, even if the phone approves", arguments: Ending.allCases)
    func waiting(_ ending: Ending) async throws {
        let fixture = try await ManagementFixture { setup in
            setup.tenant.settings.multiFactor = .always
            setup.clients.append(Samples.website())
            setup.users[0].email = "ann@example.org"
            setup.passwords[setup.users[0].id] = "a long pass phrase"
            setup.connections = [.defaultDatabase]
        }
        let phone = try await InProcessPhone(in: fixture.server)
        let browser = InProcessBrowser(fixture.server)
        let query = FormFields([
            ("client_id", "web"), ("response_type", "code"), ("redirect_uri", "https://web.example/callback"),
            ("scope", "openid"), ("state", "s"), ("code_challenge_method", "S256"),
            ("code_challenge", CodeChallenge(of: Samples.verifier, Samples.hashing).description),
        ]).encoded
        let page = try await browser.send(
            try await browser.open("/authorize?\(query)").form("/u/login"),
            ["username": "ann@example.org", "password": "a long pass phrase"])
        #expect(page.path == "/u/mfa-push")
        #expect(try await phone.decideNewest().status == 204)
        #expect((200...204).contains(await ending.end(fixture)))
        let there = try await browser.send(page.form("/u/mfa-push"))
        #expect(there.path == "/u/login" && !there.isAway, "\(there.url)")
    }

    @Test("only a block or a new password ends a user's logins, not other changes")
    func blocking() async throws {
        let told = TestInbox()
        let fixture = try await fixture(told: told)
        var expected = 0
        for patch: JSONValue in [["blocked": true], ["password": "wide river under snow"]] {
            let given = try await tokens(fixture, "code \(expected)")
            #expect(await fixture.patch(Self.ann, ["name": "Ann"]).status == 200)
            let refreshed = await refresh(fixture, given)
            #expect(refreshed.status == 200)
            #expect(await fixture.patch(Self.ann, patch).status == 200)
            let refused = await refresh(fixture, refreshed)
            #expect(refused.code == "invalid_grant")
            #expect(
                refused.message
                    == (patch["blocked"] == true ? "The user is blocked" : "Unknown or invalid refresh token."))
            #expect(await fixture.get("\(Self.ann)/sessions").json == ["sessions": []])
            expected += 1
            await fixture.server.notifyingClients { await told.wait(for: expected) }
            #expect(await fixture.patch(Self.ann, ["blocked": false]).status == 200)
        }
    }

    @Test("a deleted user's refresh token is refused with the text that SDKs expect, only for its own client")
    func deletedUser() async throws {
        let fixture = try await fixture(told: TestInbox())
        let given = try await tokens(fixture, "code")
        #expect(await fixture.delete(Self.ann).status == 204)
        let refused = await refresh(fixture, given)
        #expect(refused.status == 400 && refused.code == "invalid_grant")
        #expect(refused.message == "The refresh_token was generated for a user who doesn't exist anymore.")
        let other = await fixture.server.send(
            .form(
                "/oauth/token",
                [
                    "grant_type": "refresh_token", "client_id": "agent", "client_secret": Samples.secret,
                    "refresh_token": given["refresh_token"]?.stringValue,
                ]))
        #expect(other.message == "Unknown or invalid refresh token.")
    }

    @Test("unlinking an account ends the user's logins and notifies their clients")
    func unlinking() async throws {
        let told = TestInbox()
        let fixture = try await fixture(told: told, connections: [.defaultDatabase, UserTests.upstream()])
        let account: JSONValue = ["provider": "corp", "user_id": "77"]
        #expect(await fixture.post("\(Self.ann)/identities", account).status == 201)
        let given = try await tokens(fixture, "code")
        #expect(await fixture.delete("\(Self.ann)/identities/corp/78").code == "inexistent_identity")
        let refreshed = await refresh(fixture, given)
        #expect(refreshed.status == 200)
        #expect(await fixture.delete("\(Self.ann)/identities/corp/77").status == 200)
        #expect(await refresh(fixture, refreshed).code == "invalid_grant")
        #expect(await fixture.get("\(Self.ann)/sessions").json == ["sessions": []])
        await fixture.server.notifyingClients { await told.wait(for: 1) }
    }

    @Test("a password set by a link ends sessions and notifies their clients (OIDC Back-Channel Logout 1.0)")
    func passwordByLink() async throws {
        let told = TestInbox()
        let fixture = try await fixture(told: told)
        for code in ["one", "two"] { _ = try await tokens(fixture, code) }
        let made = await fixture.post("/tickets/password-change", ["user_id": "auth0|ann"])
        let link = try (made["ticket"]?.stringValue).orThrow(made.text)
        let browser = InProcessBrowser(fixture.server)
        let form = try await browser.open(String(link.dropLast())).form("/u/reset-password")
        func send(_ password: String) async throws -> Int {
            try await browser.send(form, ["password": password, "password_again": password]).answer.status
        }
        #expect(try await send("short") == 400)
        #expect(await fixture.get("\(Self.ann)/sessions").json["sessions"]?.arrayValue?.count == 2)
        #expect(try await send("wide river under snow") == 200)
        await fixture.server.notifyingClients { await told.wait(for: 2) }
        let sessions = try told.bodies.map { body in
            let token = try (FormFields(parsing: body)["logout_token"]).orThrow("no token")
            return try JWS(parsing: token).unverifiedClaims?["sid"]?.stringValue
        }
        #expect(Set(sessions) == ["sid-one", "sid-two"])
        #expect(await fixture.get("\(Self.ann)/sessions").json == ["sessions": []])
        #expect(try await send("wide river under snow") == 200, "the same form, sent twice, is told the same")
        #expect(try await send("deep lake under stars") == 400, "the link is used up")
        await fixture.server.notifyingClients { await told.wait(for: 2) }
    }

    @Test("grants are listed in Auth0's spelling, and revoked with their refresh tokens")
    func grants() async throws {
        let fixture = try await fixture()
        let given = try await tokens(fixture, "one", consents: true)
        let listed = await fixture.get("/grants?user_id=auth0%7Cann").json
        #expect(listed.arrayValue?.count == 1)
        let id = try (listed[0]?["id"]?.stringValue).orThrow("no grant")
        #expect(id.hasPrefix("cgr_"))
        #expect(listed[0]?["clientID"] == "app")
        #expect(listed[0]?["scope"] == ["openid", "offline_access"])
        #expect(await fixture.get("/grants?client_id=other").json == [])
        let wrapped = await fixture.get("/grants?include_totals=true").json
        #expect(wrapped["total"] == 1)
        #expect(wrapped["grants"] == listed)
        #expect(await fixture.delete("/grants/\(id)").status == 204)
        #expect(await fixture.delete("/grants/\(id)").status == 204)
        #expect(await fixture.delete("/grants/nonsense").status == 204)
        #expect(await fixture.get("/grants").json == [])
        #expect(await refresh(fixture, given).code == "invalid_grant")
        _ = try await tokens(fixture, "two", consents: true)
        #expect(await fixture.delete("/grants").status == 400)
        #expect(await fixture.delete("/grants?user_id=auth0%7Cann").status == 204)
        #expect(await fixture.get("/grants").json == [])
    }

    @Test("device credentials: refresh tokens and public keys, but no Guardian phones")
    func deviceCredentials() async throws {
        let fixture = try await fixture()
        _ = try await InProcessPhone(in: fixture.server)
        _ = try await tokens(fixture, "one")
        let key: JSONValue = [
            "type": "public_key", "device_name": "Kiosk", "device_id": "kiosk-7", "value": "MII\nB",
            "user_id": "auth0|ann",
        ]
        let made = await fixture.post("/device-credentials", key)
        #expect(made.status == 201)
        let id = try (made["id"]?.stringValue).orThrow(made.text)
        #expect(await fixture.post("/device-credentials", key).code == "device_credential_conflict")
        let listed = await fixture.get("/device-credentials?user_id=auth0%7Cann").json
        #expect(listed.arrayValue?.compactMap { $0["type"]?.stringValue } == ["public_key", "rotating_refresh_token"])
        let tokens = await fixture.get("/device-credentials?user_id=auth0%7Cann&type=rotating_refresh_token").json
        #expect(tokens.arrayValue?.count == 1)
        #expect(await fixture.get("/device-credentials").json == listed)
        #expect(await fixture.delete("/device-credentials/\(id)").status == 204)
        #expect(await fixture.delete("/device-credentials/authorization-one").status == 204)
        #expect(await fixture.get("/device-credentials?user_id=auth0%7Cann").json == [])
    }

    @Test("a user's log contains changes of the user")
    func logs() async throws {
        let fixture = try await fixture()
        #expect(await fixture.patch(Self.ann, ["name": "Ann"]).status == 200)
        let logs = await fixture.get("\(Self.ann)/logs?include_totals=true").json
        #expect(logs["logs"]?[0]?["type"] == "sapi")
        #expect(logs["total"] == 1)
        #expect(await fixture.get("/users/auth0%7Cbob/logs").json == [])
        #expect(await fixture.get("/users/auth0%7Czoe/logs").status == 404)
    }

    @Test("another tenant's sessions, tokens and authentication methods are not accessible")
    func otherTenant() async throws {
        let fixture = try await fixture()
        let path = "/users/auth0%7Czoe"
        for method in ["sessions", "refresh-tokens", "authentication-methods", "enrollments"] {
            #expect(await fixture.get("\(path)/\(method)").status == 404, "\(method)")
        }
        #expect(await fixture.send(.post, "\(path)/revoke-access").status == 404)
    }
}

/// Records received requests.
final class TestInbox: Sendable {
    private let requests = Mutex<[Request]>([])

    func take(_ request: Request) -> Response {
        requests.withLock { $0.append(request) }
        return Response(status: 200)
    }

    var bodies: [[UInt8]] { requests.withLock { $0.map(\.body) } }

    /// Waits for `count` requests, because the server notifies asynchronously.
    func wait(for count: Int) async {
        let end = ContinuousClock.now + .seconds(30)
        while requests.withLock({ $0.count }) < count, ContinuousClock.now < end { await Task.yield() }
        #expect(requests.withLock { $0.count } == count)
    }
}
