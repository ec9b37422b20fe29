import AuthorizationCore
@testable import Flows
import JSONSchema
import OAuthWire
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("Pushed authorization requests")
struct PushedRequestTests {
    private static let confidential = Samples.client("web") {
        $0.grantTypes = [.authorizationCode]
        $0.redirectURIs = LoginFixture.app().redirectURIs
    }

    private func fixture(
        tenant: Tenant = Samples.tenant(), _ change: (inout Client) -> Void = { _ in }
    ) async throws -> LoginFixture {
        var client = Self.confidential
        change(&client)
        return try await LoginFixture(tenant: tenant, clients: [client, LoginFixture.app()])
    }

    private func push(
        _ fixture: LoginFixture, _ changes: [String: String?] = [:]
    ) async throws -> PushAuthorizationRequest.Response {
        let presets: [String: String?] = ["client_id": "web", "client_secret": Samples.secret]
        let parameters = try LoginFixture.parameters(presets.merging(changes) { $1 })
        let authenticated = try fixture.fixture.authenticated(by: parameters)
        return try await PushAuthorizationRequest(
            store: fixture.store, hashing: Samples.hashing, random: fixture.fixture.random, limit: fixture.limit
        ).push(authenticated, context: fixture.context())
    }

    private func use(
        _ pushed: PushAuthorizationRequest.Response, _ fixture: LoginFixture, client: String = "web",
        _ visitor: Visitor = Visitor(), extra: [(name: String, value: String)] = []
    ) async throws -> AuthorizationAnswer {
        let form = FormFields([("client_id", client), ("request_uri", pushed.requestURI)] + extra)
        return visitor.take(
            try await fixture.begin.begin(
                try Parameters(form: Array(form.encoded.utf8)), browser: visitor.browser,
                context: fixture.context()))
    }

    @Test("RFC 9126 2.2: the answer is a URI of this request, valid for thirty seconds and one use")
    func use() async throws {
        let fixture = try await fixture()
        let pushed = try await push(fixture, ["state": "pushed"])
        #expect(pushed.requestURI.hasPrefix("urn:ietf:params:oauth:request_uri:"))
        #expect(pushed.requestURI.utf8.count == 34 + 43)
        #expect(pushed.expiresIn == 30)
        let visitor = Visitor()
        let page = try await use(pushed, fixture, visitor).page
        let response = try await fixture.logIn(page.id, visitor).response
        #expect(response.parameters["state"] == "pushed")
        #expect(try await fixture.code(response).access.client.rawValue == "web")
        #expect(try await pageFailure { _ = try await use(pushed, fixture) } == .requestURI)
    }

    @Test(
        "RFC 9126 2.3: only a public client's requests are limited for each address"
    )
    func limited() async throws {
        let fixture = try await fixture(tenant: Samples.tenant { $0.settings.loginsPerMinutePerAddress = 2 })
        for _ in 0..<3 { _ = try await push(fixture) }
        let asApp: [String: String?] = ["client_id": "app", "client_secret": nil]
        for _ in 0..<2 { _ = try await push(fixture, asApp) }
        let error = try await oauthError { _ = try await push(fixture, asApp) }
        #expect(error.code == .tooManyRequests)
        #expect(error.retryAfter == 60)
        _ = try await push(fixture)
    }

    @Test("RFC 9126 2.3: what a client that authenticates pushes is limited by its name")
    func limitedByName() async throws {
        let fixture = try await fixture(tenant: Samples.tenant { $0.settings.clientTokensPerMinute = 1 })
        for _ in 0..<10 { _ = try await push(fixture) }
        let error = try await oauthError { _ = try await push(fixture) }
        #expect(error.code == .tooManyRequests && error.retryAfter == 6)
    }

    @Test("RFC 9126 2.3: a public client's request counts even if it is refused")
    func refusedCounts() async throws {
        let fixture = try await fixture(tenant: Samples.tenant { $0.settings.loginsPerMinutePerAddress = 2 })
        let wrong: [String: String?] = [
            "client_id": "app", "client_secret": nil, "audience": Samples.api,
            "authorization_details": #"[{"type":"none"}]"#,
        ]
        for _ in 0..<2 {
            #expect(try await oauthError { _ = try await push(fixture, wrong) }.code == .invalidAuthorizationDetails)
        }
        #expect(try await oauthError { _ = try await push(fixture, wrong) }.code == .tooManyRequests)
    }

    @Test("RFC 9396 5: details are checked against a schema when they come, and not again on each page")
    func checkedOnce() async throws {
        let client = Self.confidential
        let strict = try Samples.resourceServer(schema: false)
        let fixture = try await LoginFixture(clients: [client])
        let pushed = try await push(
            fixture, ["audience": Samples.api, "authorization_details": #"[{"type":"payment"}]"#])
        let visitor = Visitor()
        let page = try await use(pushed, fixture, visitor).page
        let changed = TenantConfiguration(
            tenant: fixture.tenant, clients: [client], resourceServers: [strict], roles: [],
            keys: fixture.configuration.keys)
        let open = try await fixture.transactions.open(
            page.id, browser: visitor.browser, context: RequestContext(configuration: changed, now: fixture.now))
        #expect(open.access.audience == Samples.api)
    }

    @Test("RFC 9396 5: a request's details are checked against their schema once, and no page of its login checks them")
    func checkCount() async throws {
        let patterns = CountingPatterns()
        let source: JSONValue = ["properties": ["type": ["pattern": "^payment$"]]]
        var type = ResourceServer.AuthorizationDetailsType(type: "payment", schemaSource: source)
        type.schema = .success(try JSONSchema(compiling: source, patterns: patterns))
        let api = try Samples.resourceServer { $0.authorizationDetailsTypes = [type] }
        let fixture = try await LoginFixture(clients: [Self.confidential], apis: [api])
        let pushed = try await push(
            fixture, ["audience": Samples.api, "authorization_details": #"[{"type":"payment"}]"#])
        #expect(patterns.matches.withLock { $0 } == 1)
        let visitor = Visitor()
        let page = try await use(pushed, fixture, visitor).page
        #expect(patterns.matches.withLock { $0 } == 2)
        let consent = try await fixture.logIn(page.id, visitor).page
        #expect(consent.step == .consent)
        _ = try await fixture.allow(try await fixture.open(consent.id, visitor)).response
        #expect(patterns.matches.withLock { $0 } == 2)
    }

    @Test("A pushed request expires")
    func expiry() async throws {
        let fixture = try await fixture()
        let pushed = try await push(fixture)
        fixture.fixture.clock.advance(by: .seconds(30))
        #expect(try await pageFailure { _ = try await use(pushed, fixture) } == .requestURI)
    }

    @Test("RFC 9126 4: a request_uri works for the pushing client alone, and another client's try does not use it up")
    func otherClient() async throws {
        let fixture = try await fixture()
        let pushed = try await push(fixture)
        #expect(try await pageFailure { _ = try await use(pushed, fixture, client: "app") } == .requestURI)
        _ = try await use(pushed, fixture).page
    }

    @Test(
        "Parameters other than request_uri are ignored",
        arguments: [
            ("redirect_uri", "https://evil.example/"), ("scope", "openid email"), ("state", "evil"), ("prompt", "none"),
            ("code_challenge", "evil"),
        ])
    func extra(name: String, value: String) async throws {
        let fixture = try await fixture()
        let pushed = try await push(fixture)
        let visitor = Visitor()
        let page = try await use(pushed, fixture, visitor, extra: [(name, value)]).page
        let response = try await fixture.logIn(page.id, visitor).response
        #expect(response.redirectURI == LoginFixture.callback)
        #expect(response.parameters["state"] == "xyz")
        #expect(try await fixture.code(response).access.scope.description == "openid profile")
    }

    @Test(
        "RFC 9126 2.1: requests that the authorization endpoint would refuse are refused",
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
        let fixture = try await fixture()
        #expect(try await oauthError { _ = try await push(fixture, changes) }.code.rawValue == code)
    }

    @Test("A client without the grant may not push")
    func grant() async throws {
        let fixture = try await fixture { $0.grantTypes = [.ciba] }
        #expect(try await oauthError { _ = try await push(fixture) }.code == .unauthorizedClient)
    }

    @Test("RFC 9126 5: a client that must push is refused at the authorization endpoint")
    func required() async throws {
        let fixture = try await fixture { $0.requiresPushedAuthorizationRequests = true }
        #expect(try await fixture.authorize(Visitor(), ["client_id": "web"]).error == "invalid_request")
        _ = try await use(try await push(fixture), fixture).page
    }

    @Test("RFC 9396: details come by push, are shown, and are in the grant")
    func details() async throws {
        let fixture = try await fixture()
        let details = #"[{"type":"payment","amount":12.50}]"#
        let pushed = try await push(fixture, ["audience": Samples.api, "authorization_details": details])
        let visitor = Visitor()
        let page = try await use(pushed, fixture, visitor).page
        let consent = try await fixture.logIn(page.id, visitor).page
        #expect(consent.step == .consent)
        #expect(consent.request.authorizationDetails.map { JSONWriter.string($0.json) } == details)
        let response = try await fixture.allow(consent).response
        #expect(try await fixture.code(response).access.authorizationDetails.map(JSONWriter.string) == details)
        let again = try await use(
            try await push(fixture, ["audience": Samples.api, "authorization_details": details]), fixture, visitor)
        #expect(try again.page.step == .consent, "each time")
    }
}

/// Matches every text, and counts.
private final class CountingPatterns: PatternCompiler, CompiledPattern {
    let matches = Mutex(0)
    let stepsPerByte = 1

    func compile(_ pattern: Pattern) throws(Pattern.Failure) -> any CompiledPattern { self }

    func matches(_ text: String) -> Bool {
        matches.withLock { $0 += 1 }
        return true
    }
}
