import Endpoints
import HTTPModel
import Routing
import TestSupport
import Testing

@Suite("RFC 6797: Strict-Transport-Security")
struct TransportSecurityTests {
    private static let field = "Strict-Transport-Security"

    @Test("Every answer has the field: pages, errors and synchronously answered polls")
    func everywhere() async throws {
        let fixture = try await EndpointFixture {
            $0.transportSecurity = StrictTransportSecurity(maxAge: .seconds(86_400))
        }
        let poll = Request.form("/oauth/token", fixture.client.pollParameters(fixture.authReqID))
        for request in [
            .get("/.well-known/openid-configuration"), .get("/nothing"), .get("/u/login"), .get("/healthz"),
            .get("/api/v2/users"), poll, poll,
        ] {
            let answer = await fixture.server.send(request)
            #expect(answer.fields.values(of: Self.field) == ["max-age=86400"], "\(request.path)")
        }
    }

    @Test(
        "8.1.1: IP addresses and local names, which projects on a machine share, do not get the field",
        arguments: [
            "localhost", "localhost.", "localhost:8443", "LOCALHOST", "dev.localhost", "127.0.0.1:8443", "[::1]:8443",
            "[::1]",
        ])
    func shared(host: String) async throws {
        let server = try await InProcessServer {
            $0.transportSecurity = StrictTransportSecurity(maxAge: .seconds(86_400))
        }
        let answer = await server.send(.get("/healthz", host: host))
        #expect(answer.status == 200)
        #expect(answer.fields[Self.field] == nil)
    }

    @Test("Without a max-age, no answer has the field")
    func off() async throws {
        #expect(StrictTransportSecurity(maxAge: .zero) == nil)
        let answer = await (try await InProcessServer()).send(.get("/healthz"))
        #expect(answer.fields[Self.field] == nil)
    }
}
