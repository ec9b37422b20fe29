import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@Suite("RFC 6749 4.4: client credentials")
struct ClientCredentialsTests {
    private func ask(_ fixture: CodeFixture, _ changes: [String: String?] = [:]) async -> HTTPAnswer {
        await fixture.post(
            "/oauth/token",
            [
                "grant_type": "client_credentials", "client_id": "service", "client_secret": Samples.secret,
                "audience": Samples.api,
            ].merging(changes) { $1 })
    }

    private func fixture(
        limit: Int = 600, _ change: @escaping (inout ResourceServer) -> Void = { _ in }
    ) async throws -> CodeFixture {
        try await CodeFixture { setup in
            setup.tenant.settings.clientTokensPerMinute = limit
            setup.clients.append(
                Samples.client("whole") {
                    $0.grantTypes = [.clientCredentials]
                    $0.limit(to: [Samples.api: nil])
                })
            setup.clients.append(Samples.client("unlimited") { $0.grantTypes = [.clientCredentials] })
            setup.apis = [try Samples.resourceServer(Samples.api, change)]
        }
    }

    @Test("4.4.3: the answer has only an access token, with all granted scopes")
    func token() async throws {
        let fixture = try await fixture()
        let answer = await ask(fixture)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer["scope"] == "pay:read")
        #expect(answer["refresh_token"] == nil)
        #expect(answer["id_token"] == nil)
        #expect(answer["expires_in"]?.intValue == 86_400)
        let claims = try await fixture.claims(answer["access_token"]?.stringValue)
        #expect(
            Set(claims.map(\.name)) == ["iss", "sub", "aud", "iat", "exp", "jti", "scope", "azp", "gty"])
        #expect(claims["sub"] == "service@clients")
        #expect(claims["aud"] == .string(Samples.api))
        #expect(claims["gty"] == "client-credentials")
        #expect(try await fixture.server.auditKinds() == ["seccft"])
        #expect(await ask(fixture, ["client_id": "whole"])["scope"] == "pay:read pay:send")
        #expect(await ask(fixture, ["client_id": "whole", "scope": "pay:send"])["scope"] == "pay:send")
    }

    @Test("A client that requests too many tokens is rate limited alone, and only for a while")
    func limit() async throws {
        let fixture = try await fixture(limit: 3)
        for _ in 0..<3 { #expect(await ask(fixture).status == 200) }
        let refused = await ask(fixture)
        #expect(refused.status == 400)
        #expect(refused["error"] == "slow_down")
        #expect(refused.fields["Retry-After"] == "20")
        #expect(await ask(fixture, ["client_id": "whole"]).status == 200)
        fixture.server.clock.advance(by: .seconds(20))
        #expect(await ask(fixture).status == 200)
    }

    @Test("The log entry of a token names the grant and the number of scopes, so that its size is bounded")
    func entry() async throws {
        let fixture = try await fixture { api in
            api.scopes = (0..<200).map { ResourceServer.Scope(value: "read:things-\($0)", description: "Read") }
        }
        #expect(await ask(fixture, ["client_id": "whole"]).status == 200)
        let entry = try #require(try await fixture.server.auditDetails("seccft").first)
        #expect(entry["grant_type"] == "client_credentials")
        #expect(entry["scopes"] == 200)
        #expect(JSONWriter.string(entry).utf8.count < 200)
    }

    @Test(
        "The authz dialects contain permissions; RFC 9068 has client_id and no gty",
        arguments: ResourceServer.TokenDialect.allCases)
    func dialects(dialect: ResourceServer.TokenDialect) async throws {
        let fixture = try await fixture {
            $0.tokenDialect = dialect
            $0.enforcesPolicies = true
        }
        let claims = try await fixture.claims(await ask(fixture)["access_token"]?.stringValue)
        #expect(claims["permissions"]?.stringsValue == (dialect.carriesPermissions ? ["pay:read"] : nil))
        #expect((claims["gty"] == nil) == dialect.isRFC9068)
        #expect((claims["client_id"] == "service") == dialect.isRFC9068)
        #expect(claims["auth_time"] == nil)
    }

    @Test("Scopes and APIs that were not granted are refused")
    func refused() async throws {
        let fixture = try await fixture()
        expectError(
            await ask(fixture, ["scope": "pay:read pay:send openid"]), 400, "invalid_scope",
            "Client has not been granted scopes: pay:send openid")
        expectError(
            await ask(fixture, ["audience": nil]), 400, "invalid_request", "Missing required parameter: audience")
        expectError(
            await ask(fixture, ["audience": "https://nowhere.example/"]), 400, "invalid_target",
            "Service not found: https://nowhere.example/")
        expectError(await ask(fixture, ["client_id": "unlimited"]), 400, "invalid_target")
    }

    @Test("The tenant's default audience applies if the request names none")
    func defaultAudience() async throws {
        let fixture = try await CodeFixture { $0.tenant.settings.defaultAudience = Samples.api }
        #expect(await ask(fixture, ["audience": nil]).status == 200)
    }

    @Test("4.4: public clients can use neither client credentials nor CIBA (CIBA Core 4)")
    func publicClient() async throws {
        let fixture = try await CodeFixture {
            $0.clients.append(
                Samples.app("bold") {
                    $0.grantTypes = [.clientCredentials, .ciba]
                    $0.limit(to: [Samples.api: nil])
                })
        }
        expectError(
            await ask(fixture, ["client_id": "bold", "client_secret": nil]), 400, "unauthorized_client")
        let bold = InProcessClient("bold", via: fixture.server)
        expectError(try await bold.start(["client_secret": nil]), 400, "unauthorized_client")
        expectError(
            await fixture.post(
                "/oauth/token",
                bold.pollParameters("x").filter { $0.key != "client_secret" }), 400, "unauthorized_client")
    }
}
