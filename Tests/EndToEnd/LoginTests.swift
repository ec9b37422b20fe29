import HTTPModel
import JOSE
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    /// Each request that "Add Login Using the Mobile Login Flow" describes, with the promised answer.
    @Suite("The mobile login flow") struct LoginTests {
        @Test("The URL leads to the login page and back with code and state; the JSON token request gives the tokens")
        func link() async throws {
            let server = try await TestServer.start { $0.loginConfiguration() }
            let app = try LoginApp(server)
            let browser = try WebBrowser(server)
            let link = app.link(scope: "openid profile", ["state": "xyzABC123"])
            #expect(
                link == server.issuer + "authorize?response_type=code"
                    + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
                    + "&client_id=mobile&redirect_uri=com.example.app%3A%2F%2Fcallback&scope=openid%20profile"
                    + "&state=xyzABC123")
            #expect(try await browser.open(link).page().heading == "Log in")
            let callback = try await browser.logIn(link).callback()
            #expect([302, 303].contains(browser.hops.last?.status))
            #expect(callback["state"] == "xyzABC123" && callback["iss"] == server.issuer)

            let answer = try await app.redeem(try #require(callback["code"]))
            #expect(answer.status == 200)
            let tokens = answer.json
            let members = tokens.objectValue?.members.map(\.name) ?? []
            #expect(Set(members) == ["access_token", "id_token", "token_type", "expires_in", "scope"])
            #expect(tokens["token_type"] == "Bearer" && tokens["expires_in"] == 86_400)
            #expect(try await app.identity(tokens)["name"] == "User 0")
            let info = try await app.transport.send(
                ClientRequest(
                    method: .get, url: server.url + "userinfo",
                    fields: ["Authorization": "Bearer \(try #require(tokens["access_token"]?.stringValue))"]))
            #expect(try JSONReader.parse(info.body)["sub"] == "auth0|0")
            await server.stop()
        }

        @Test("scope=openid without state gives the basic claims for 10 hours")
        func basic() async throws {
            let server = try await TestServer.start { $0.loginConfiguration() }
            let app = try LoginApp(server)
            let callback = try await WebBrowser(server).logIn(app.link(scope: "openid")).callback()
            #expect(callback["state"] == nil)
            let answer = try await app.redeem(try #require(callback["code"]))
            let claims = try await app.identity(answer.json)
            #expect(claims["sub"] == "auth0|0")
            let (end, start) = (try #require(claims["exp"]?.intValue), try #require(claims["iat"]?.intValue))
            #expect(end - start == 36_000)
            // No claim of the profile.
            let protocolClaims: Set = ["iss", "sub", "aud", "exp", "iat", "auth_time", "amr", "sid", "at_hash"]
            #expect(Set(claims.members.map(\.name)) == protocolClaims)
            await server.stop()
        }

        @Test("scope=openid name picture gives only these two claims of the profile")
        func nameAndPicture() async throws {
            let server = try await TestServer.start { $0.loginConfiguration() }
            let app = try LoginApp(server)
            let tokens = try await app.tokens(
                in: WebBrowser(server), scope: "openid name picture", ["state": "STATE"])
            let claims = try await app.identity(tokens)
            #expect(claims["name"] == "User 0" && claims["picture"] == "https://example.com/0.png")
            #expect(claims["email"] == nil && claims["nickname"] == nil && claims["updated_at"] == nil)
            await server.stop()
        }

        @Test("The fragment of a redirect_uri is removed")
        func fragment() async throws {
            let server = try await TestServer.start { $0.loginConfiguration() }
            let app = try LoginApp(server)
            let link = app.link(scope: "openid", ["state": "s"], callback: LoginApp.callback + "#part")
            #expect(link.contains("callback%23part"))
            let place = try await WebBrowser(server).logIn(link)
            guard case .elsewhere(let url) = place else { throw Unexpected("no redirect: \(place)") }
            #expect(url.hasPrefix(LoginApp.callback + "?code=") && !url.contains("#"))
            let code = try #require(try place.callback()["code"])
            #expect(try await app.redeem(code).status == 200)
            await server.stop()
        }

        @Test("Only offline_access gives a refresh token, and only for an API that allows it")
        func offline() async throws {
            let server = try await TestServer.start { $0.loginConfiguration() }
            let app = try LoginApp(server)
            let browser = try WebBrowser(server)
            let audience = KeyValuePairs(dictionaryLiteral: ("audience", TestServer.audience))
            let without = try await app.tokens(in: browser, scope: "openid", audience)
            #expect(without["refresh_token"] == nil)
            let elsewhere = try await app.tokens(
                in: browser, scope: "openid offline_access", ["audience": "https://online.example.com"])
            #expect(elsewhere["refresh_token"] == nil && elsewhere["scope"] == "openid")
            let with = try await app.tokens(in: browser, scope: "openid offline_access", audience)
            let refreshed = try await app.refresh(try #require(with["refresh_token"]?.stringValue))
            #expect(refreshed.status == 200)
            #expect(refreshed.json["refresh_token"] != with["refresh_token"])
            #expect(try await app.identity(refreshed.json)["sub"] == "auth0|0")
            await server.stop()
        }

        @Test("A user with a session and a consent is not asked again; prompt=none shows no page")
        func sessionAndConsent() async throws {
            let server = try await TestServer.start { $0.loginConfiguration() }
            let (app, partner) = (try LoginApp(server), try LoginApp(server, "partner"))
            let browser = try WebBrowser(server)
            let silent = app.link(scope: "openid", ["prompt": "none"])
            #expect(try await browser.open(silent).callback()["error"] == "login_required")
            #expect(try await browser.logIn(app.link(scope: "openid")).callback()["code"] != nil)
            #expect(try await browser.open(silent).callback()["code"] != nil)

            let link = partner.link(scope: "openid email")
            #expect(
                try await browser.open(partner.link(scope: "openid email", ["prompt": "none"])).callback()["error"]
                    == "consent_required")
            let denied = try await browser.submit(try await browser.open(link).page(), "Deny")
            #expect(try denied.callback()["error"] == "access_denied")
            let allowed = try await browser.submit(try await browser.open(link).page(), "Allow")
            #expect(try allowed.callback()["code"] != nil)
            #expect(try await browser.open(link).callback()["code"] != nil)
            // Additional scopes require a new consent.
            let more = partner.link(scope: "openid email profile")
            #expect(try await browser.open(more).page().heading == "Allow App partner?")
            await server.stop()
        }

        @Test("countersign consents lists a user's consents and revokes them with their tokens")
        func consents() async throws {
            let server = try await TestServer.start { $0.loginConfiguration() }
            let partner = try LoginApp(server, "partner")
            let browser = try WebBrowser(server)
            let link = partner.link(scope: "openid offline_access", ["audience": TestServer.audience])
            let place = try await browser.submit(try await browser.logIn(link).page(), "Allow")
            let tokens = try await partner.redeem(try #require(try place.callback()["code"])).json
            let user = ["--tenant", "test", "--user", "auth0|0"]
            let listed = try await server.command("consents list", user + ["--json"])
            let consent = try #require(try JSONReader.parse(listed).arrayValue?.first)
            #expect(consent["client_id"] == "partner" && consent["audience"] == .string(TestServer.audience))
            #expect(consent["scope"] == "openid offline_access")

            let table = try await server.command("consents list", user + ["--client", "mobile"])
            #expect(!table.contains("partner"))
            let revoked = try await server.command("consents revoke", user + ["--client", "partner"])
            #expect(revoked == "Revoked partner at \(TestServer.audience)\n")
            #expect(try await server.command("consents list", user + ["--json"]) == "[]\n")
            let refreshed = try await partner.refresh(try #require(tokens["refresh_token"]?.stringValue))
            #expect(refreshed.error == "invalid_grant")
            #expect(try await browser.open(link).page().heading == "Allow App partner?")
            await server.stop()
        }

        @Test("RFC 6749 4.1.2: one of two concurrent exchanges of a code gets tokens")
        func twice() async throws {
            let server = try await TestServer.start { $0.loginConfiguration() }
            let browser = try WebBrowser(server)
            let apps = try (0..<4).map { _ in try LoginApp(server) }
            _ = try await browser.logIn(apps[0].link(scope: "openid"))
            for _ in 0..<8 {
                let callback = try await browser.open(apps[0].link(scope: "openid")).callback()
                let code = try #require(callback["code"])
                let answers = try await withThrowingTaskGroup(of: Agent.Answer.self) { group in
                    for app in apps { group.addTask { try await app.redeem(code) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.count { $0.status == 200 } == 1)
                #expect(answers.count { $0.error == "invalid_grant" } == apps.count - 1)
            }
            await server.stop()
        }
    }
}
