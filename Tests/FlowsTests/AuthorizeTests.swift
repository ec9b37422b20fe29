import AuthorizationCore
import Flows
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("The authorization endpoint")
struct AuthorizeTests {
    // MARK: the way through

    @Test(
        "RFC 6749 4.1.2 and RFC 9207: the answer has code, state and iss, and the code the requested access"
    )
    func code() async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor, ["redirect_uri": LoginFixture.callback + "#fragment"]).page
        #expect(page.step == .logIn)
        let response = try await fixture.logIn(page.id, visitor).response
        #expect(response.redirectURI == LoginFixture.callback, "without its fragment")
        #expect(response.parameters.pairs.map(\.name) == ["code", "state", "iss"])
        #expect(response.parameters["state"] == "xyz")
        #expect(response.parameters["iss"] == "https://dev.example/")
        #expect(response.parameters["code"]?.utf8.count == 43)
        let code = try await fixture.code(response)
        #expect(code.access.user.rawValue == "auth0|ann")
        #expect(code.access.client.rawValue == "app")
        #expect(code.access.scope.description == "openid profile")
        #expect(code.access.audience == "https://dev.example/userinfo")
        #expect(code.access.methods == ["pwd"])
        #expect(code.access.contextClass == nil)
        #expect(code.access.authTime == fixture.now)
        #expect(code.redirectURI == LoginFixture.callback)
        #expect(code.nonce == "n-0S6")
        #expect(code.codeChallenge?.matches(LoginFixture.verifier, Samples.hashing) == true)
        #expect(code.expiresAt == fixture.now + .seconds(60))
        let session = try #require(try await fixture.session(of: visitor))
        #expect(code.access.session == session.id)
        #expect(try await fixture.log("s").map(\.client) == ["app"])
    }

    @Test("Logins of one address are limited; those that its session completes at once do not count")
    func limited() async throws {
        let fixture = try await LoginFixture(tenant: Samples.tenant { $0.settings.loginsPerMinutePerAddress = 3 })
        let known = Visitor("2001:db8:0:1::1")
        _ = try await fixture.enter(known).response
        for _ in 0..<9 { _ = try await fixture.authorize(known).response }
        for host in 2...3 { _ = try await fixture.authorize(Visitor("2001:db8:0:1::\(host)")).page }
        let failure = await #expect(throws: AuthorizationPageFailure.self) {
            _ = try await fixture.authorize(Visitor("2001:db8:0:1::4"))
        }
        #expect(failure?.reason == .tooManyRequests)
        #expect(failure?.retryAfter == 60)
        #expect(try await fixture.count(.transactions) == 2, "the first ended")
        _ = try await fixture.authorize(Visitor("2001:db8:0:2::1")).page
        _ = try await fixture.authorize(known).response
        fixture.fixture.clock.advance(by: .seconds(20))
        _ = try await fixture.authorize(Visitor("2001:db8:0:1::4")).page
    }

    @Test("A second client gets its code from the session, without pages")
    func singleSignOn() async throws {
        let fixture = try await LoginFixture(clients: [LoginFixture.app(), LoginFixture.app("second")])
        let visitor = Visitor()
        _ = try await fixture.enter(visitor).response
        fixture.fixture.clock.advance(by: .seconds(50))
        let code = try await fixture.code(fixture.authorize(visitor, ["client_id": "second"]).response)
        #expect(code.access.client.rawValue == "second")
        #expect(code.access.authTime == fixture.now - .seconds(50), "the time of the login")
        let session = try #require(try await fixture.session(of: visitor))
        #expect(session.idleExpiresAt == fixture.now + .seconds(259_200), "its use moves the idle end")
        #expect(try await fixture.logOut(visitor).ended?.id == session.id)
        #expect(try await fixture.logouts() == ["app \(session.id)", "second \(session.id)"])
    }

    @Test("A session ends when it is unused for its idle lifetime, and at its end in any case")
    func lifetimes() async throws {
        let fixture = try await LoginFixture(
            tenant: Samples.tenant {
                $0.settings.sessionLifetime = 100
                $0.settings.sessionIdleLifetime = 60
            })
        let visitor = Visitor()
        _ = try await fixture.enter(visitor).response
        fixture.fixture.clock.advance(by: .seconds(50))
        _ = try await fixture.authorize(visitor).response
        fixture.fixture.clock.advance(by: .seconds(49))
        _ = try await fixture.authorize(visitor).response
        fixture.fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.authorize(visitor).page.step == .logIn)
        let other = Visitor()
        _ = try await fixture.enter(other).response
        fixture.fixture.clock.advance(by: .seconds(60))
        #expect(try await fixture.authorize(other).page.step == .logIn)
    }

    @Test(
        "OAuth 2.0 Multiple Response Types 2.1: the answer follows response_mode",
        arguments: [
            ("query", "?code="), ("fragment", "#code="),
        ])
    func modes(mode: String, marker: String) async throws {
        let fixture = try await LoginFixture()
        let response = try await fixture.enter(Visitor(), ["response_mode": mode]).response
        #expect(response.location.hasPrefix(LoginFixture.callback + marker))
        let error = try await fixture.authorize(Visitor(), ["response_mode": mode, "prompt": "none"]).response
        #expect(error.mode == response.mode)
    }

    // MARK: errors that are shown and never redirected

    @Test(
        "RFC 9700 4.1: a redirect URI that is not registered letter for letter is never followed",
        arguments: [
            "https://app.example/callback/", "https://app.example/callback?x=1", "https://app.example/Callback",
            "https://app.example.evil.example/callback", "https://app.example/callback/../evil",
            "https://app.example@evil.example/callback", "http://app.example/callback", "https://evil.example/",
            "javascript:alert(1)", "//app.example/callback", "https://app.example:444/callback",
            "https://app.example/callback%23", "https://app.example/callback\u{0}",
        ])
    func redirectManipulation(uri: String) async throws {
        let fixture = try await LoginFixture()
        for extra: [String: String?] in [[:], ["prompt": "none"], ["response_type": "token"], ["code_challenge": nil]] {
            let changes = extra.merging(["redirect_uri": uri]) { $1 }
            guard (try? LoginFixture.parameters(changes)) != nil else { continue }
            #expect(
                try await pageFailure { _ = try await fixture.authorize(Visitor(), changes) } == .redirectURI)
        }
        #expect(try await fixture.count(.transactions) == 0)
    }

    @Test("RFC 8252 7.3: a loopback address may have any port, and nothing else may differ")
    func loopback() async throws {
        let client = LoginFixture.app {
            $0.redirectURIs = ["http://127.0.0.1/cb", "http://localhost/mcp", "com.example.app:/cb"].compactMap {
                RedirectURI(registering: $0)
            }
        }
        let fixture = try await LoginFixture(clients: [client])
        for uri in [
            "http://127.0.0.1:51234/cb", "http://127.0.0.1/cb", "http://localhost:51234/mcp", "com.example.app:/cb",
        ] {
            let response = try await fixture.enter(Visitor(), ["redirect_uri": uri]).response
            #expect(response.redirectURI == uri)
            #expect(try await fixture.code(response).redirectURI == uri)
        }
        for uri in [
            "http://127.0.0.1:51234/other", "http://localhost:51234/cb", "http://localhost.evil.example/mcp",
            "http://localhost:80@evil.example/mcp", "com.example.app:/other",
        ] {
            #expect(
                try await pageFailure { _ = try await fixture.authorize(Visitor(), ["redirect_uri": uri]) }
                    == .redirectURI)
        }
    }

    @Test("RFC 6749 3.1.2.3: without redirect_uri the client's only one counts, and none of several")
    func omittedRedirect() async throws {
        let several = LoginFixture.app("several") {
            $0.redirectURIs += [RedirectURI(registering: "https://app.example/other")].compactMap { $0 }
        }
        let fixture = try await LoginFixture(clients: [LoginFixture.app(), several])
        let response = try await fixture.enter(Visitor(), ["redirect_uri": nil]).response
        #expect(response.redirectURI == LoginFixture.callback)
        #expect(try await fixture.code(response).redirectURI == nil)
        #expect(
            try await pageFailure {
                _ = try await fixture.authorize(Visitor(), ["redirect_uri": nil, "client_id": "several"])
            } == .redirectURI)
    }

    @Test("Faults of an unknown client, and of one without the grant, are shown to the person alone")
    func clients() async throws {
        let fixture = try await LoginFixture(clients: [
            LoginFixture.app(), LoginFixture.app("ciba") { $0.grantTypes = [.ciba] },
        ])
        for id in ["none", nil] {
            #expect(
                try await pageFailure { _ = try await fixture.authorize(Visitor(), ["client_id": id]) }
                    == .unknownClient)
        }
        #expect(
            try await pageFailure { _ = try await fixture.authorize(Visitor(), ["client_id": "ciba"]) }
                == .grantNotAllowed)
    }

    // MARK: errors that go back to the client

    @Test(
        "RFC 6749 4.1.2.1: other errors go back with state and iss",
        arguments: [
            (["response_type": "token"], "unsupported_response_type"), (["response_type": nil], "invalid_request"),
            (["response_type": "code id_token"], "unsupported_response_type"),
            (["scope": "a\"b"], "invalid_scope"), (["prompt": "none login"], "invalid_request"),
            (["prompt": "dance"], "invalid_request"), (["max_age": "-1"], "invalid_request"),
            (["response_mode": "jwt"], "invalid_request"), (["audience": "https://none/"], "invalid_target"),
            (["connection": "none"], "invalid_request"), (["request": "e30.e30."], "request_not_supported"),
            (["authorization_details": #"[{"type":"payment"}]"#, "audience": Samples.api], "invalid_request"),
        ] as [([String: String?], String)])
    func errors(changes: [String: String?], code: String) async throws {
        let fixture = try await LoginFixture()
        let response = try await fixture.authorize(Visitor(), changes).response
        #expect(response.parameters.pairs.map(\.name) == ["error", "error_description", "state", "iss"])
        #expect(response.parameters["error"] == code)
        #expect(response.parameters["state"] == "xyz")
        #expect(response.parameters["iss"] == "https://dev.example/")
        let text = try #require(response.parameters["error_description"])
        #expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
    }

    private static func confidential(_ id: String, _ change: (inout Client) -> Void = { _ in }) -> Client {
        Samples.client(id) {
            $0.grantTypes = [.authorizationCode]
            $0.redirectURIs = LoginFixture.app().redirectURIs
            change(&$0)
        }
    }

    @Test(
        "RFC 7636 4.3: every client's challenge must use S256, and a method needs a challenge",
        arguments: [
            ["code_challenge": nil], ["code_challenge_method": "plain"], ["code_challenge_method": nil],
            ["code_challenge": "short"],
        ] as [[String: String?]])
    func challenge(changes: [String: String?]) async throws {
        let fixture = try await LoginFixture(clients: [LoginFixture.app(), Self.confidential("secret")])
        for id in ["app", "secret"] {
            let changes = changes.merging(["client_id": id]) { $1 }
            #expect(try await fixture.authorize(Visitor(), changes).error == "invalid_request")
        }
    }

    @Test("RFC 9700 2.1.1: PKCE is required of public clients, and of others if they or their tenant require it")
    func requiredChallenge() async throws {
        let without = ["code_challenge": nil, "code_challenge_method": nil] as [String: String?]
        func answer(_ client: Client, tenant required: Bool) async throws -> AuthorizationAnswer {
            let fixture = try await LoginFixture(
                tenant: Samples.tenant { $0.settings.requiresProofKey = required }, clients: [client])
            return try await fixture.authorize(Visitor(), without.merging(["client_id": client.id.rawValue]) { $1 })
        }
        for tenant in [false, true] {
            #expect(try await answer(LoginFixture.app(), tenant: tenant).error == "invalid_request")
            let strict = Self.confidential("strict") { $0.requiresProofKey = true }
            #expect(try await answer(strict, tenant: tenant).error == "invalid_request")
        }
        #expect(try await answer(Self.confidential("secret"), tenant: true).error == "invalid_request")
        let page = try await answer(Self.confidential("secret"), tenant: false).page
        #expect(page.step == .logIn && page.request.codeChallenge == nil)
    }

    @Test("An overlong state is refused and not repeated")
    func longState() async throws {
        let fixture = try await LoginFixture()
        let response = try await fixture.authorize(Visitor(), ["state": String(repeating: "x", count: 2049)]).response
        #expect(response.parameters["error"] == "invalid_request")
        #expect(response.parameters["state"] == nil)
    }

    @Test("A connection that the client may not use does not exist for it")
    func connections() async throws {
        let other = LoginConnection(
            name: "staff", displayName: "Staff", kind: .database(allowsSignUp: false),
            enabledClients: [ClientID("else")])
        let fixture = try await LoginFixture(connections: [.defaultDatabase, other])
        #expect(try await fixture.authorize(Visitor(), ["connection": "staff"]).error == "invalid_request")
        let page = try await fixture.authorize(Visitor()).page
        #expect(page.choices.database?.name == LoginConnection.defaultDatabaseName)
    }

    // MARK: audience and scope

    @Test("Scopes are those that the API defines and, with RBAC, the user's roles permit")
    func scopes() async throws {
        let payer = Role(
            id: RoleID("payer"), name: "Payer", description: "",
            permissions: [Role.Permission(resourceServer: Samples.api, scope: "pay:send")])
        let api = try Samples.resourceServer { $0.enforcesPolicies = true }
        let fixture = try await LoginFixture(apis: [api], roles: [payer], ann: { $0.roles = [RoleID("payer")] })
        let changes: [String: String?] = [
            "audience": Samples.api, "scope": "openid pay:send pay:read pay:all offline_access",
        ]
        let code = try await fixture.code(fixture.enter(Visitor(), changes).response)
        #expect(code.access.scope.description == "openid pay:send")
        #expect(code.access.audience == Samples.api)
    }

    @Test("offline_access is granted if the API allows it")
    func offlineAccess() async throws {
        let fixture = try await LoginFixture(apis: [try Samples.resourceServer { $0.allowsOfflineAccess = true }])
        let changes: [String: String?] = ["audience": Samples.api, "scope": "openid offline_access"]
        let code = try await fixture.code(fixture.enter(Visitor(), changes).response)
        #expect(code.access.scope.description == "openid offline_access")
    }

    // MARK: the browser

    @Test("RFC 9700 4.7: a login that began in another browser cannot be opened")
    func loginCSRF() async throws {
        let fixture = try await LoginFixture()
        let attacker = Visitor()
        let victim = Visitor()
        let page = try await fixture.authorize(attacker).page
        #expect(try await pageFailure { _ = try await fixture.open(page.id, victim) } == .transaction)
        _ = try await fixture.authorize(victim).page
        #expect(try await pageFailure { _ = try await fixture.open(page.id, victim) } == .transaction)
        #expect(try await pageFailure { _ = try await fixture.open("guessed", attacker) } == .transaction)
    }

    @Test("Tabs of one browser share its binding cookie, and each goes through")
    func tabs() async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        let first = try await fixture.authorize(visitor, ["prompt": "login"])
        let second = try await fixture.authorize(visitor, ["prompt": "login"])
        #expect(first.bindingCookie?.utf8.count == 43)
        #expect(second.bindingCookie == nil)
        _ = try await fixture.logIn(second.page.id, visitor).response
        _ = try await fixture.logIn(first.page.id, visitor).response
    }

    @Test("A binding cookie that this server did not make is replaced")
    func plantedBinding() async throws {
        let fixture = try await LoginFixture()
        let browser = Browser(sessionCookie: nil, bindingCookie: "x")
        let answer = try await fixture.begin.begin(
            try LoginFixture.parameters(), browser: browser, context: fixture.context())
        #expect(answer.bindingCookie?.utf8.count == 43)
    }

    @Test("RFC 9700 4.5: a finished login cannot be replayed")
    func replay() async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor).page
        _ = try await fixture.logIn(page.id, visitor).response
        #expect(try await pageFailure { _ = try await fixture.open(page.id, visitor) } == .transaction)
        #expect(
            try await pageFailure {
                _ = try await fixture.logIn.logIn(
                    page, name: "ann@example.org", password: LoginFixture.password)
            } == .superseded)
        #expect(try await fixture.count(.codes) == 1)
    }

    @Test("One of two answers to one page continues")
    func race() async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor).page
        let answers = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let answer = try? await fixture.logIn.logIn(
                        page, name: "ann@example.org", password: LoginFixture.password)
                    return answer != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answers == 1)
        #expect(try await fixture.count(.codes) == 1)
        #expect(try await fixture.count(.sessions) == 1)
    }

    @Test("A login expires after an hour")
    func expiry() async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        let page = try await fixture.authorize(visitor).page
        fixture.fixture.clock.advance(by: .seconds(3600))
        #expect(try await pageFailure { _ = try await fixture.open(page.id, visitor) } == .transaction)
    }

    @Test("Session fixation: each login makes a new cookie and ends the session that the browser brought")
    func fixation() async throws {
        let fixture = try await LoginFixture()
        let attacker = Visitor()
        _ = try await fixture.enter(attacker).response
        let planted = try #require(attacker.sessionCookie)
        let victim = Visitor()
        victim.plant(session: planted)
        let page = try await fixture.authorize(victim, ["prompt": "login"]).page
        _ = try await fixture.logIn(page.id, victim).response
        #expect(victim.sessionCookie != planted)
        #expect(try await fixture.authorize(attacker).page.step == .logIn, "the planted cookie is worth nothing")
        let made = Visitor()
        made.plant(session: "made-up")
        _ = try await fixture.enter(made).response
        #expect(made.sessionCookie != "made-up")
    }

    @Test("The session is kept as a hash")
    func hashes() async throws {
        let fixture = try await LoginFixture()
        let visitor = Visitor()
        _ = try await fixture.enter(visitor).response
        let cookie = try #require(visitor.sessionCookie)
        let session = try #require(try await fixture.session(of: visitor))
        #expect(session.hash == Samples.hashing.sha256(Array(cookie.utf8)))
        #expect(session.id.rawValue != cookie)
    }
}
