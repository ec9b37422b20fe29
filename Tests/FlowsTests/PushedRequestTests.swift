import AuthorizationCore
import Flows
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Pushed authorization requests")
struct PushedRequestTests {
    private static let confidential = Samples.client("web") {
        $0.grantTypes = [.authorizationCode]
        $0.redirectURIs = LogInWorld.app().redirectURIs
    }

    private func world(
        tenant: Tenant = Samples.tenant(), _ change: (inout Client) -> Void = { _ in }
    ) async throws -> LogInWorld {
        var client = Self.confidential
        change(&client)
        return try await LogInWorld(tenant: tenant, clients: [client, LogInWorld.app()])
    }

    private func push(
        _ world: LogInWorld, _ changes: [String: String?] = [:]
    ) async throws -> PushAuthorizationRequest.Response {
        let presets: [String: String?] = ["client_id": "web", "client_secret": Samples.secret]
        let parameters = try LogInWorld.parameters(presets.merging(changes) { $1 })
        let asked = try world.world.authenticated(by: parameters)
        return try await PushAuthorizationRequest(
            store: world.store, hashing: Samples.hashing, random: world.world.random, limit: world.limit
        ).push(asked, now: world.now)
    }

    private func use(
        _ pushed: PushAuthorizationRequest.Response, _ world: LogInWorld, client: String = "web",
        _ visitor: Visitor = Visitor(), extra: [(name: String, value: String)] = []
    ) async throws -> AuthorizationAnswer {
        let form = FormFields([("client_id", client), ("request_uri", pushed.requestURI)] + extra)
        return visitor.take(
            try await world.begin.begin(
                try Parameters(form: Array(form.encoded.utf8)), browser: visitor.browser,
                directory: world.directory, now: world.now))
    }

    @Test("RFC 9126 2.2: the answer is a URI of this request, good for thirty seconds and one use")
    func use() async throws {
        let world = try await world()
        let pushed = try await push(world, ["state": "pushed"])
        #expect(pushed.requestURI.hasPrefix("urn:ietf:params:oauth:request_uri:"))
        #expect(pushed.requestURI.utf8.count == 34 + 43)
        #expect(pushed.expiresIn == 30)
        let visitor = Visitor()
        let page = try await use(pushed, world, visitor).page
        let response = try await world.logIn(page.id, visitor).response
        #expect(response.parameters["state"] == "pushed")
        #expect(try await world.code(response).access.client.rawValue == "web")
        #expect(try await pageFailure { _ = try await use(pushed, world) } == .requestURI)
    }

    @Test("RFC 9126 2.3: in a public client's name one address pushes only so many; a client that is proven, any")
    func limited() async throws {
        let world = try await world(tenant: Samples.tenant { $0.settings.logInsPerMinutePerAddress = 2 })
        for _ in 0..<3 { _ = try await push(world) }
        let asApp: [String: String?] = ["client_id": "app", "client_secret": nil]
        for _ in 0..<2 { _ = try await push(world, asApp) }
        let error = try await oauthError { _ = try await push(world, asApp) }
        #expect(error.code == .tooManyRequests)
        #expect(error.retryAfter == 60)
        _ = try await push(world)
    }

    @Test("RFC 9126 2.3: what a public client pushes counts even where it is refused")
    func refusedCounts() async throws {
        let world = try await world(tenant: Samples.tenant { $0.settings.logInsPerMinutePerAddress = 2 })
        let wrong: [String: String?] = [
            "client_id": "app", "client_secret": nil, "audience": Samples.api,
            "authorization_details": #"[{"type":"none"}]"#,
        ]
        for _ in 0..<2 {
            #expect(try await oauthError { _ = try await push(world, wrong) }.code == .invalidAuthorizationDetails)
        }
        #expect(try await oauthError { _ = try await push(world, wrong) }.code == .tooManyRequests)
    }

    @Test("RFC 9396 5: details are checked against a schema when they come, and not again on each page")
    func checkedOnce() async throws {
        let client = Self.confidential
        let strict = try Samples.resourceServer(schema: false)
        let world = try await LogInWorld(clients: [client])
        let pushed = try await push(
            world, ["audience": Samples.api, "authorization_details": #"[{"type":"payment"}]"#])
        let visitor = Visitor()
        let page = try await use(pushed, world, visitor).page
        let changed = TenantDirectory(
            tenant: world.tenant, clients: [client], resourceServers: [strict], roles: [],
            keys: world.directory.keys)
        let open = try await world.transactions.open(
            page.id, browser: visitor.browser, directory: changed, now: world.now)
        #expect(open.access.audience == Samples.api)
    }

    @Test("A pushed request expires")
    func expiry() async throws {
        let world = try await world()
        let pushed = try await push(world)
        world.world.clock.advance(by: .seconds(30))
        #expect(try await pageFailure { _ = try await use(pushed, world) } == .requestURI)
    }

    @Test("RFC 9126 4: a request_uri is the pushing client's alone, and another's try does not use it up")
    func otherClient() async throws {
        let world = try await world()
        let pushed = try await push(world)
        #expect(try await pageFailure { _ = try await use(pushed, world, client: "app") } == .requestURI)
        _ = try await use(pushed, world).page
    }

    @Test(
        "Parameters beside request_uri count for nothing",
        arguments: [
            ("redirect_uri", "https://evil.example/"), ("scope", "openid email"), ("state", "evil"), ("prompt", "none"),
            ("code_challenge", "evil"),
        ])
    func extra(name: String, value: String) async throws {
        let world = try await world()
        let pushed = try await push(world)
        let visitor = Visitor()
        let page = try await use(pushed, world, visitor, extra: [(name, value)]).page
        let response = try await world.logIn(page.id, visitor).response
        #expect(response.redirectURI == LogInWorld.callback)
        #expect(response.parameters["state"] == "xyz")
        #expect(try await world.code(response).access.scope.description == "openid profile")
    }

    @Test(
        "RFC 9126 2.1: what the authorization endpoint would refuse is refused here",
        arguments: [
            (["request_uri": "urn:x"], "invalid_request"),
            (["redirect_uri": "https://evil.example/"], "invalid_request"),
            (["code_challenge": nil], "invalid_request"), (["response_type": "token"], "unsupported_response_type"),
            (["audience": "https://none/"], "invalid_target"), (["request": "e30.e30."], "request_not_supported"),
            (
                ["audience": Samples.api, "authorization_details": #"[{"type":"none"}]"#],
                "invalid_authorization_details"
            ),
            (["authorization_details": #"[{"type":"payment"}]"#], "invalid_authorization_details"),
        ] as [([String: String?], String)])
    func refused(changes: [String: String?], code: String) async throws {
        let world = try await world()
        #expect(try await oauthError { _ = try await push(world, changes) }.code.rawValue == code)
    }

    @Test("A client without the grant may not push")
    func grant() async throws {
        let world = try await world { $0.grantTypes = [.ciba] }
        #expect(try await oauthError { _ = try await push(world) }.code == .unauthorizedClient)
    }

    @Test("RFC 9126 5: a client that must push is refused at the authorization endpoint")
    func required() async throws {
        let world = try await world { $0.requiresPushedAuthorizationRequests = true }
        #expect(try await world.authorize(Visitor(), ["client_id": "web"]).error == "invalid_request")
        _ = try await use(try await push(world), world).page
    }

    @Test("RFC 9396: details come by push, are shown, and are in the grant")
    func details() async throws {
        let world = try await world()
        let details = #"[{"type":"payment","amount":12.50}]"#
        let pushed = try await push(world, ["audience": Samples.api, "authorization_details": details])
        let visitor = Visitor()
        let page = try await use(pushed, world, visitor).page
        let consent = try await world.logIn(page.id, visitor).page
        #expect(consent.step == .consent)
        #expect(consent.request.authorizationDetails.map { JSONWriter.string($0.json) } == details)
        let response = try await world.allow(consent).response
        #expect(try await world.code(response).access.authorizationDetails.map(JSONWriter.string) == details)
        let again = try await use(
            try await push(world, ["audience": Samples.api, "authorization_details": details]), world, visitor)
        #expect(try again.page.step == .consent, "each time")
    }
}
