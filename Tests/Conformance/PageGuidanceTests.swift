import AuthorizationCore
import HTTPModel
import Primitives
import TestSupport
import Testing

@Suite("Hosted pages tell users how to continue")
struct PageGuidanceTests {
    @Test(
        "A block says when it ends, in the page's language",
        arguments: [
            (0, ["1 hour", "1 heure", "1 Stunde"]), (1500, ["35 minutes", "35 minutes", "35 Minuten"]),
            (3590, ["10 seconds", "10 secondes", "10 Sekunden"]),
        ])
    func block(after seconds: Int, spans: [String]) async throws {
        let fixture = try await AttackFixture()
        for _ in 0..<10 { _ = try await fixture.logIn(fixture.browser(), password: "guess") }
        fixture.server.advance(.seconds(seconds))
        for (language, span) in zip(["en", "fr", "de"], spans) {
            let page = try await fixture.logIn(fixture.browser(fields: ["Accept-Language": language]))
            #expect(page.answer.status == 429)
            #expect(page.answer.fields["Retry-After"] == "\(3600 - seconds)")
            #expect(page.text.contains(" \(span)"), "\(page.text)")
        }
    }

    @Test("WCAG 2.2, 3.3.1: an empty sign-up form shows each error at its field")
    func signUp() async throws {
        let fixture = try await AttackFixture()
        let browser = fixture.browser()
        let form = try await browser.open(AttackFixture.authorize(["screen_hint": "signup"])).form("/u/signup")
        let page = try await browser.send(form)
        #expect(page.answer.status == 400)
        let root = try Markup.read(page.answer.body)
        for name in ["email", "password"] {
            let field = try root.all("input").first { $0["id"] == name }.orThrow("no field \(name)")
            #expect(field["aria-invalid"] == "true")
            let problem = root.all("p").first { $0["id"] == "\(name)-problem" }
            #expect(problem?.text.isEmpty == false)
            #expect(root.all("a").contains { $0["href"] == "#\(name)" }, "the summary leads to \(name)")
        }
    }

    @Test("Every page, error pages included, links to help, privacy notice and terms")
    func links() async throws {
        let fixture = try await AttackFixture { setup in
            setup.tenant.settings.links.support = "https://help.example/"
            setup.tenant.settings.links.privacy = "https://www.example/privacy"
            setup.tenant.settings.links.terms = "https://www.example/terms"
        }
        let browser = fixture.browser()
        for page in [
            try await browser.open(AttackFixture.authorize()), try await browser.open("/u/consent?state=x"),
            try await browser.open("/u/forgot-password"),
        ] {
            for url in ["https://help.example/", "https://www.example/privacy", "https://www.example/terms"] {
                #expect(page.links.contains(url), "\(page.url): \(page.links)")
            }
        }
    }

    // MARK: after a new password

    /// Requests a new password from the login of `web`, sets it, and returns the next page.
    private func reset(_ fixture: AttackFixture, fromLogin: Bool = true) async throws -> InProcessBrowser.Page {
        let browser = fixture.browser()
        var path = "/u/forgot-password"
        if fromLogin {
            let page = try await browser.open(AttackFixture.authorize())
            path = try page.links.first { $0.hasPrefix(path) }.orThrow("no link: \(page.links)")
        }
        let form = try await browser.open(path).form("/u/forgot-password")
        _ = try await browser.send(form, ["email": AttackFixture.ann])
        let link = try await fixture.server.mailedLink()
        // Another browser, such as a phone's, knows only the link.
        let other = fixture.browser()
        let new = "seven swans a swimming"
        return try await other.send(
            try await other.open(link).form("/u/reset-password"), ["password": new, "password_again": new])
    }

    private func fixture(_ change: @escaping (inout Client, inout Tenant) -> Void) async throws -> AttackFixture {
        try await AttackFixture { setup in
            let index = try setup.clients.firstIndex { $0.id.rawValue == "web" }.orThrow("no client")
            change(&setup.clients[index], &setup.tenant)
        }
    }

    @Test("OIDC Core 4: after a new password the page links to the application's initiate_login_uri")
    func client() async throws {
        let fixture = try await fixture { client, tenant in
            client.initiateLoginURL = "https://web.example/login?a=1"
            tenant.settings.defaultRedirectionURL = "https://www.example/"
        }
        let page = try await reset(fixture)
        #expect(page.answer.status == 200)
        #expect(page.links.contains("https://web.example/login?a=1&iss=https%3A%2F%2Fdev.example%2F"), "\(page.links)")
    }

    @Test(
        "Without an initiate_login_uri the page links to the tenant's default address",
        arguments: [true, false])
    func tenant(fromLogin: Bool) async throws {
        let fixture = try await fixture { _, tenant in
            tenant.settings.defaultRedirectionURL = "https://www.example/start"
        }
        #expect(try await reset(fixture, fromLogin: fromLogin).links.contains("https://www.example/start"))
    }

    @Test("Without any address the page explains what to do")
    func nowhere() async throws {
        let page = try await reset(try await fixture { _, _ in })
        #expect(page.text.contains("Go back to the application and log in with it"))
    }
}
