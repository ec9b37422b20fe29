import Foundation
import HTTPModel
import Primitives
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Login at an upstream provider") struct UpstreamLoginTests {
        @Test("connection=github redirects straight to GitHub, and the ID token names the GitHub user")
        func gitHub() async throws {
            let secret = "a-secret-of-the-app-at-github-of-forty-characters"
            let server = try await TestServer.start { $0.loginConfiguration() }
            let gitHub = GitHubStandIn(
                clientID: "Iv1.countersign", clientSecret: secret, callbackURL: server.issuer + "login/callback")
            gitHub.person.name = "John Smith"
            let url = try gitHub.start()
            try await server.apply(
                server.loginConfiguration(connections: [
                    [
                        "name": "github", "display_name": "GitHub", "strategy": "github",
                        "options": [
                            "client_id": "Iv1.countersign", "client_secret": .string(secret), "url": .string(url),
                        ],
                    ]
                ]))
            let app = try LoginApp(server)
            try await eventually(within: .seconds(5)) {
                try await WebBrowser(server).open(app.link(scope: "openid")).page().links["Continue with GitHub"] != nil
            }

            // Auth0's document promises no page in between.
            let browser = try WebBrowser(server, sites: [url])
            let link = app.link(scope: "openid name picture", ["state": "STATE", "connection": "github"])
            let callback = try await browser.open(link).callback()
            #expect(callback["state"] == "STATE")
            #expect(browser.hops.contains { $0.location.hasPrefix(url + "/login/oauth/authorize?") })
            let answer = try await app.redeem(try #require(callback["code"]))
            let claims = try await app.identity(answer.json)
            #expect(claims["sub"] == .string("github|\(gitHub.person.id)"))
            #expect(claims["name"] == "John Smith" && claims["picture"]?.stringValue?.isEmpty == false)

            // The e-mail address as well, if the scope asks for it.
            let more = try await app.tokens(in: browser, scope: "openid name picture email", ["connection": "github"])
            let all = try await app.identity(more)
            #expect(all["email"] == "octocat@github.example" && all["email_verified"] == true)

            // The provider is chosen on the page; then its errors.
            gitHub.person.denies = true
            let other = try WebBrowser(server, sites: [url])
            let page = try await other.open(app.link(scope: "openid")).page()
            let refused = try await other.click("Continue with GitHub", on: page).page()
            #expect(refused.heading == "Not logged in")
            await gitHub.stop()
            await server.stop()
        }

        @Test("A second Countersign serves as OpenID provider of the first")
        func anotherCountersign() async throws {
            let secret = "a-secret-at-the-staff-server-of-forty-eight-characters"
            // Another host name, because cookies are shared by all ports of a host.
            let staff = try await TestServer.start(name: "localhost", options: ["--development=off"]) {
                $0.loginConfiguration()
            }
            let server = try await TestServer.start(options: ["--trusted-authorities=\(staff.authority)"]) { server in
                server.loginConfiguration(connections: [
                    [
                        "name": "staff", "display_name": "Staff", "strategy": "oidc",
                        "options": [
                            "issuer": .string(staff.issuer), "client_id": "customers", "client_secret": .string(secret),
                        ],
                    ]
                ])
            }
            try await staff.apply(
                staff.loginConfiguration(clients: [
                    [
                        "client_id": "customers", "name": "Customers", "client_secret": .string(secret),
                        "grant_types": ["authorization_code"],
                        "callbacks": [.string(server.issuer + "login/callback")],
                    ]
                ]))
            let app = try LoginApp(server)
            let browser = try WebBrowser(server, staff)
            let link = app.link(scope: "openid name email", ["connection": "staff"])
            // Polls until the provider serves its client.
            try await eventually(within: .seconds(5)) {
                try await WebBrowser(server, staff).open(link).page().heading == "Log in"
            }
            let page = try await browser.open(link).page()
            #expect(page.url.hasPrefix(staff.issuer))
            let callback = try await browser.submit(
                page, "Log in", ["username": TestServer.email(0), "password": TestServer.password(0)]
            ).callback()
            let answer = try await app.redeem(try #require(callback["code"]))
            let claims = try await app.identity(answer.json)
            #expect(claims["sub"] == "staff|auth0|0" && claims["name"] == "User 0")
            #expect(claims["email"] == .string(TestServer.email(0)) && claims["email_verified"] == true)
            // Both servers have their own session now.
            #expect(try await browser.open(app.link(scope: "openid", ["prompt": "none"])).callback()["code"] != nil)

            // An unreachable provider at the callback is reported.
            let fresh = try WebBrowser(server, staff)
            let form = try await fresh.open(link).page()
            let place = try await fresh.another(at: staff).submit(
                form, "Log in", ["username": TestServer.email(0), "password": TestServer.password(0)])
            guard case .elsewhere(let back) = place else { throw Unexpected("no redirect: \(place)") }
            await staff.stop()
            let failed = try await fresh.open(back).page()
            #expect(failed.status == 502 && failed.heading == "Not logged in")
            await server.stop()
        }
    }
}
