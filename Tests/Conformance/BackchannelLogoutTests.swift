import AuthorizationCore
import HTTPModel
import JOSE
import OAuthWire
import Primitives
import Synchronization
import TestSupport
import Testing

@Suite("OIDC Back-Channel Logout")
struct BackchannelLogoutTests {
    @Test(
        "2.6: the logout token has the issuer of the client's ID tokens",
        arguments: [InProcessServer.host, InProcessServer.customHost])
    func issuer(host: String) async throws {
        let inbox = LogoutInbox()
        let fixture = try await AttackFixture { setup in
            for index in setup.clients.indices where setup.clients[index].id.rawValue == "web" {
                setup.clients[index].backchannelLogoutURL = "https://web.example/logout"
            }
            setup.http = HandlerClient(["https://web.example": { inbox.take($0) }])
        }
        let browser = fixture.browser(host: host)
        let page = try await fixture.logIn(browser)
        let tokens = await fixture.server.send(
            .form(
                "/oauth/token",
                [
                    "grant_type": "authorization_code", "client_id": "web", "client_secret": Samples.secret,
                    "code": page.parameters["code"], "redirect_uri": AttackFixture.callback,
                    "code_verifier": Samples.verifier,
                ], host: host))
        let identity = try await fixture.claims(tokens["id_token"])
        #expect(identity["iss"] == .string("https://\(host)/"))
        _ = try await browser.open("/v2/logout?client_id=web")
        await fixture.server.notifyingClients { await inbox.wait() }
        let token = try #require(inbox.tokens.first)
        let told = try #require(try JWS(parsing: token).unverifiedClaims)
        #expect(told["iss"] == identity["iss"])
        #expect(told["sid"] == identity["sid"])
    }
}

/// A client's logout endpoint.
private final class LogoutInbox: Sendable {
    private let received = Mutex<[String]>([])

    var tokens: [String] { received.withLock { $0 } }

    func take(_ request: Request) -> Response {
        let token = (try? FormFields(parsing: request.body))?["logout_token"]
        received.withLock { $0.append(token ?? "") }
        return Response(status: 200)
    }

    /// The server does not wait until clients are notified, so tests must.
    func wait() async {
        while tokens.isEmpty { await Task.yield() }
    }
}
