import Foundation
import HTTPModel
import JOSE
import MicroHTTPServer
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Logout") struct LogoutTests {
        @Test("OIDC Back-Channel Logout: clients are notified of a session's end with a verifiable token")
        func backchannel() async throws {
            let receiver = try LogoutReceiver()
            let site: JSONValue = [
                "client_id": "site", "name": "Site", "token_endpoint_auth_method": "none",
                "grant_types": ["authorization_code"], "callbacks": [.string(LoginApp.callback)],
                "allowed_logout_urls": ["https://site.example/bye"],
                "oidc_logout": ["backchannel_logout_urls": [.string(receiver.url)]],
            ]
            let server = try await TestServer.start { $0.loginConfiguration(clients: [site]) }
            let browser = try WebBrowser(server)
            let (app, other) = (try LoginApp(server, "site"), try LoginApp(server))
            let tokens = try await app.tokens(in: browser, scope: "openid")
            let session = try await app.identity(tokens)["sid"]
            _ = try await other.tokens(in: browser, scope: "openid")

            let end = FormFields([
                ("id_token_hint", try #require(tokens["id_token"]?.stringValue)),
                ("post_logout_redirect_uri", "https://site.example/bye"), ("state", "done"),
            ])
            let place = try await browser.open(server.issuer + "oidc/logout?" + end.encoded)
            #expect(try place.callback("https://site.example/bye")["state"] == "done")
            let silent = try await browser.open(app.link(scope: "openid", ["prompt": "none"])).callback()
            #expect(silent["error"] == "login_required")

            try await eventually(within: .seconds(10)) { !receiver.tokens.isEmpty }
            let token = try #require(receiver.tokens.first)
            #expect(try JWS(parsing: token).type == "logout+jwt")
            let claims = try await server.verified(token)
            #expect(claims["iss"] == .string(server.issuer) && claims["aud"] == "site")
            #expect(claims["sub"] == "auth0|0" && claims["sid"] == session && claims["nonce"] == nil)
            #expect(claims["events"]?["http://schemas.openid.net/event/backchannel-logout"] == [:])
            await receiver.stop()
            await server.stop()
        }

        @Test(
            "OIDC Back-Channel Logout: a session that a command ended without a server is notified once a server runs")
        func whileNobodyRan() async throws {
            let receiver = try LogoutReceiver()
            let site: JSONValue = [
                "client_id": "site", "name": "Site", "token_endpoint_auth_method": "none",
                "grant_types": ["authorization_code"], "callbacks": [.string(LoginApp.callback)],
                "oidc_logout": ["backchannel_logout_urls": [.string(receiver.url)]],
            ]
            let server = try await TestServer.start { $0.loginConfiguration(clients: [site]) }
            let app = try LoginApp(server, "site")
            let tokens = try await app.tokens(in: try WebBrowser(server), scope: "openid")
            let session = try await app.identity(tokens)["sid"]
            await server.stop(SIGKILL)
            try await server.command("user delete", ["auth0|0", "--tenant", "test", "--yes"])

            let next = try await server.restarted()
            try await eventually(within: .seconds(10)) { !receiver.tokens.isEmpty }
            let claims = try await next.verified(try #require(receiver.tokens.first))
            #expect(claims["sub"] == "auth0|0" && claims["sid"] == session && claims["aud"] == "site")
            await receiver.stop()
            await next.stop()
        }

        @Test("/v2/logout ends the session at once, and redirects only to registered addresses")
        func atOnce() async throws {
            let site: JSONValue = [
                "client_id": "site", "name": "Site", "token_endpoint_auth_method": "none",
                "grant_types": ["authorization_code"], "callbacks": [.string(LoginApp.callback)],
                "allowed_logout_urls": ["https://site.example/bye"],
            ]
            let server = try await TestServer.start { $0.loginConfiguration(clients: [site]) }
            let browser = try WebBrowser(server)
            let app = try LoginApp(server, "site")
            _ = try await app.tokens(in: browser, scope: "openid")
            let foreign = FormFields([("client_id", "site"), ("returnTo", "https://evil.example/")])
            #expect(try await browser.open(server.issuer + "v2/logout?" + foreign.encoded).page().status == 400)
            let own = FormFields([("client_id", "site"), ("returnTo", "https://site.example/bye")])
            guard case .elsewhere(let url) = try await browser.open(server.issuer + "v2/logout?" + own.encoded) else {
                throw Unexpected("no redirect")
            }
            #expect(url == "https://site.example/bye")
            let silent = try await browser.open(app.link(scope: "openid", ["prompt": "none"])).callback()
            #expect(silent["error"] == "login_required")
            await server.stop()
        }
    }
}

/// A client's end of the back channel.
private final class LogoutReceiver: Sendable {
    private let received: Recorded<String>
    private let http: HTTPServer

    init() throws {
        let received = Recorded<String>()
        self.received = received
        http = try HTTPServer(configuration: HTTPServerConfiguration(threads: 1)) { request in
            guard request.method == .post, request.fields.mediaType == "application/x-www-form-urlencoded",
                let token = (try? FormFields(parsing: request.body))?["logout_token"]
            else { return Response(status: 400) }
            received.append(token)
            return Response(status: 200, fields: ["Cache-Control": "no-store"])
        }
        try http.start()
    }

    var url: String { "http://127.0.0.1:\(http.port)/backchannel-logout" }
    var tokens: [String] { received.all }

    func stop() async { await http.stop(within: .seconds(1)) }
}
