import AuthorizationCore
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("Fetch Standard, CORS protocol: access from browser apps")
struct ScriptAccessTests {
    private static let shop = "https://shop.example"
    private static let stranger = "https://evil.example"

    /// `spa` has its scripts at `shop` and, by its callback, at `callback.example`; `web` at `web.example`.
    private static func fixture() async throws -> CodeFixture {
        try await CodeFixture { setup in
            let callback = try RedirectURI(registering: "https://callback.example/done").orThrow("no URI")
            setup.clients.append(
                Samples.app("spa") { client in
                    client.webOrigins = [WebOrigin(registering: "https://SHOP.example:443")].compactMap { $0 }
                    client.redirectURIs.append(callback)
                })
        }
    }

    private static func preflight(
        _ path: String, from origin: String?, host: String = InProcessServer.host
    ) -> Request {
        var fields: HTTPFields = [
            "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "auth0-client,content-type",
        ]
        if let origin { fields.append("Origin", origin) }
        var request = Request.get(path, host: host, fields: fields)
        request.method = .options
        return request
    }

    private static func allowed(_ answer: HTTPAnswer) -> String? { answer.fields["Access-Control-Allow-Origin"] }

    private static func expectNothing(
        _ answer: HTTPAnswer, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for field in answer.fields {
            #expect(
                !field.name.lowercased().hasPrefix("access-control-"), "\(field.name)", sourceLocation: sourceLocation)
        }
    }

    @Test(
        "A preflight is allowed for origins that any client of the tenant registered",
        arguments: ["/oauth/token", "/oauth/revoke", "/userinfo"])
    func preflights(path: String) async throws {
        let fixture = try await Self.fixture()
        for origin in [Self.shop, "https://callback.example", "https://web.example"] {
            let answer = await fixture.server.send(Self.preflight(path, from: origin))
            #expect(answer.status == 204)
            #expect(answer.text.isEmpty)
            #expect(Self.allowed(answer) == origin)
            #expect(answer.fields["Vary"] == "Origin")
            #expect(answer.fields["Access-Control-Allow-Credentials"] == nil)
            #expect(answer.fields["Access-Control-Allow-Headers"] == "Authorization, *")
            #expect(answer.fields["Access-Control-Allow-Methods"]?.contains("POST") == true)
            #expect(answer.fields["Access-Control-Max-Age"] == "7200")
        }
    }

    @Test(
        "An origin that differs from every registered one gets no CORS fields",
        arguments: [
            "https://evil.example", "https://shop.example:8443", "http://shop.example", "https://sub.shop.example",
            "https://shop.example.evil.example", "https://SHOP.example", "https://shop.example/", "null", "*", "",
            "com.example.app:", "https://shop.example, https://evil.example",
        ])
    func strangers(origin: String) async throws {
        let fixture = try await Self.fixture()
        for path in ["/oauth/token", "/oauth/revoke", "/userinfo"] {
            let preflight = await fixture.server.send(Self.preflight(path, from: origin))
            #expect(preflight.status == 204)
            Self.expectNothing(preflight)
            #expect(preflight.fields["Vary"] == "Origin")
            Self.expectNothing(
                await fixture.server.send(.form(path, ["client_id": "spa"], fields: ["Origin": origin])))
        }
    }

    @Test("Two origins, a missing origin and another tenant's origin get no CORS fields")
    func others() async throws {
        let fixture = try await Self.fixture()
        var twice = Self.preflight("/oauth/token", from: Self.shop)
        twice.fields.append("Origin", Self.shop)
        Self.expectNothing(await fixture.server.send(twice))
        let none = await fixture.server.send(Self.preflight("/oauth/token", from: nil))
        #expect(none.status == 204)
        #expect(none.fields["Allow"] == "OPTIONS, POST")
        Self.expectNothing(none)
        Self.expectNothing(
            await fixture.server.send(Self.preflight("/oauth/token", from: Self.shop, host: InProcessServer.otherHost)))
        Self.expectNothing(
            await fixture.server.send(Self.preflight("/oauth/token", from: Self.shop, host: "nobody.example")))
    }

    @Test("An answer is readable only by origins of the client that the request names")
    func actual() async throws {
        let fixture = try await Self.fixture()
        func redeem(_ client: String, from origin: String) async throws -> HTTPAnswer {
            let code = try await fixture.server.code("\(client) \(origin)") { $0.client = client }
            return await fixture.post(
                "/oauth/token", CodeFixture.redeeming(code, ["client_id": client]), fields: ["Origin": origin])
        }
        let own = try await redeem("spa", from: Self.shop)
        #expect(own.status == 200)
        #expect(Self.allowed(own) == Self.shop)
        #expect(own.fields["Vary"] == "Origin")
        #expect(own.fields["Access-Control-Expose-Headers"] == "Retry-After, WWW-Authenticate, X-Request-Id")
        #expect(own.fields["Access-Control-Allow-Credentials"] == nil)
        // Without CORS fields the request is still processed.
        let others = try await redeem("app", from: Self.shop)
        #expect(others.status == 200)
        Self.expectNothing(others)
        #expect(others.fields["Vary"] == "Origin")

        let tokens = try CodeFixture.Tokens(own)
        for (token, origin, isAllowed) in [
            (tokens.access, Self.shop, true), (tokens.access, "https://web.example", false),
            ("of nobody", "https://web.example", true), ("of nobody", Self.stranger, false),
        ] {
            let answer = await fixture.server.send(
                .get("/userinfo", fields: ["Authorization": "Bearer \(token)", "Origin": origin]))
            #expect(Self.allowed(answer) == (isAllowed ? origin : nil), "\(token) \(origin)")
        }
        let revoked = await fixture.post(
            "/oauth/revoke", ["client_id": "spa", "token": tokens.refresh], fields: ["Origin": Self.shop])
        #expect(revoked.status == 200)
        #expect(Self.allowed(revoked) == Self.shop)
    }

    @Test("Scripts may read errors, including those for unknown clients and unreadable bodies")
    func errors() async throws {
        let fixture = try await Self.fixture()
        let fields: HTTPFields = ["Origin": Self.shop]
        for (request, status) in [
            (Request.form("/oauth/token", ["client_id": "spa", "grant_type": "refresh_token"], fields: fields), 400),
            (.form("/oauth/token", ["client_id": "nobody"], fields: fields), 401),
            (Request.form("/oauth/token", [:], fields: fields).with("Content-Type", "text/plain"), 400),
            (.get("/oauth/token", fields: fields), 405), (.get("/userinfo", fields: fields), 401),
        ] {
            let answer = await fixture.server.send(request)
            #expect(answer.status == status, "\(answer.text)")
            #expect(Self.allowed(answer) == Self.shop, "\(answer.text)")
        }
        let poll = ["client_id": "web", "client_secret": Samples.secret, "auth_req_id": "x"]
        let answer = await fixture.post("/oauth/token", poll, fields: ["Origin": "https://web.example"])
        #expect(Self.allowed(answer) == "https://web.example")
    }

    @Test("Answers to pending polls have CORS fields, every time")
    func polls() async throws {
        let fixture = try await ConformanceFixture { setup in
            setup.clients.append(
                Samples.client("kiosk") {
                    $0.allowedOrigins = [WebOrigin(registering: "http://localhost:3000")].compactMap { $0 }
                })
        }
        let client = InProcessClient("kiosk", via: fixture.server)
        let id = try await client.started()
        for _ in 0..<3 {
            let answer = await fixture.server.send(
                .form("/oauth/token", client.pollParameters(id), fields: ["Origin": "http://localhost:3000"]))
            expectError(answer, 400, "authorization_pending")
            #expect(Self.allowed(answer) == "http://localhost:3000")
            fixture.server.clock.advance(by: .seconds(6))
        }
    }

    @Test(
        "Discovery and keys allow every origin, with a preflight",
        arguments: MetadataTests.paths + ["/.well-known/jwks.json", "/openapi.json"])
    func published(path: String) async throws {
        let fixture = try await Self.fixture()
        let preflight = await fixture.server.send(Self.preflight(path, from: Self.stranger))
        #expect(preflight.status == 204)
        let answer = await fixture.server.send(.get(path, fields: ["Origin": Self.stranger]))
        #expect(answer.status == 200)
        let tag = try answer.fields["ETag"].orThrow("no ETag")
        let known = await fixture.server.send(.get(path, fields: ["If-None-Match": tag]))
        for answer in [preflight, answer, known, await fixture.server.send(.form(path, [:]))] {
            #expect(Self.allowed(answer) == "*")
            #expect(answer.fields["Vary"] == nil)
            #expect(answer.fields["Access-Control-Allow-Credentials"] == nil)
        }
    }

    @Test(
        "RFC 9700 2.6: endpoints that are not for scripts have no CORS fields",
        arguments: [
            "/authorize", "/bc-authorize", "/oauth/par", "/oauth/introspect", "/u/login", "/v2/logout", "/api/v2/users",
            "/appliance-mfa/api/enroll", "/rich-consents/x", "/healthz",
        ])
    func elsewhere(path: String) async throws {
        let fixture = try await Self.fixture()
        Self.expectNothing(await fixture.server.send(Self.preflight(path, from: Self.shop)))
        Self.expectNothing(await fixture.server.send(.get(path, fields: ["Origin": Self.shop])))
        Self.expectNothing(await fixture.server.send(.form(path, ["client_id": "spa"], fields: ["Origin": Self.shop])))
    }
}
