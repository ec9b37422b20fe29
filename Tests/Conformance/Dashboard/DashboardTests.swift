import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import SQL
import TestSupport
import Testing

@Suite("The dashboard")
struct DashboardTests {
    static let sections = DashboardPath.Section.allCases.map { DashboardPath($0) }

    @Test("Without a session, every page asks for a login", arguments: [DashboardPath()] + sections)
    func unauthenticated(path: DashboardPath) async throws {
        let fixture = try await DashboardFixture()
        #expect(try await fixture.browser().open(path.rawValue).path == "/u/login")
    }

    @Test("Each page allows no frame, is kept by no cache and loads nothing from elsewhere", arguments: sections)
    func policy(path: DashboardPath) async throws {
        let fixture = try await DashboardFixture()
        let page = try await fixture.open(path.rawValue, in: fixture.browser())
        #expect(page.answer.status == 200 && page.path == path.rawValue, "\(page.text)")
        let policy = page.answer.fields["Content-Security-Policy"] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
        #expect(policy.contains("script-src 'self'") && !policy.contains("unsafe"))
        #expect(page.answer.fields["X-Frame-Options"] == "DENY")
        #expect(page.answer.fields["Cache-Control"] == "no-store")
    }

    @Test("A person without a role sees nothing but their own id")
    func withoutRole() async throws {
        let fixture = try await DashboardFixture()
        for path in [DashboardPath()] + Self.sections {
            let page = try await fixture.open(path.rawValue, in: fixture.browser(), as: "bob@example.org")
            #expect(page.answer.status == 403 && page.text.contains("auth0|bob"), "\(path.rawValue)")
            #expect(!page.text.contains("ann@example.org"))
        }
    }

    @Test("A form is reviewed first, with the difference and the same as a command, and then changes the object")
    func change() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let path = "/admin/roles/\(DashboardFixture.role)/edit"
        let page = try await fixture.open(path, in: browser)
        let review = try await browser.send(
            page.form(path), ["m.name": "Chief", "step": "review"])
        #expect(review.text.contains("Administrator") && review.text.contains("Chief"))
        #expect(review.text.contains("curl -X PATCH") && review.text.contains("countersign apply"))
        #expect(try await fixture.open("/admin/roles", in: browser).text.contains("Administrator"))
        let done = try await browser.send(review.form(path), ["step": "change"])
        #expect(done.path == "/admin/roles/\(DashboardFixture.role)" && done.text.contains("Chief"))
        let event = try #require(try await fixture.server.database.auditLog("sapi").last)
        #expect(event.actor == "person:auth0|ann")
    }

    @Test("A refused form keeps what was typed, and shows the problem beside its field")
    func refused() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let path = "/admin/roles/new"
        let typed = ["m.name": "Administrator", "m.description": "Another one"]
        let page = try await fixture.change(path, typed, in: browser)
        #expect(page.path == path && page.answer.status == 400)
        #expect(page.text.contains("already exists"))
        let form = try page.form(path)
        #expect(form.fields["m.name"] == "Administrator" && form.fields["m.description"] == "Another one")
    }

    private static let links = [
        "/admin/users?q=bob%20example&from=x", "/admin/log?q=type%3As%20AND%20%28date%3A%2A%29",
        "/admin/users/auth0%7Cbob/sessions?from=a%2Bb", "/admin/users?q=%C3%A9&ui_locales=de",
        "/admin/users?next=https%3A%2F%2Fevil.example%2F&state=other&ticket=1",
    ]

    @Test("A login leads back to the whole address of the page, and to no other host", arguments: links)
    func deepLinks(link: String) async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let page = try await fixture.open(link, in: browser)
        #expect(page.url == "https://\(InProcessServer.host)\(link)", "\(page.url)")
        #expect(page.answer.status == 200 || page.answer.status == 400)
    }

    @Test("A page's other languages show the same object")
    func languages() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let page = try await fixture.open("/admin/users/auth0%7Cbob?from=x", in: browser)
        let german = try #require(page.links.first { $0.contains("ui_locales=de") })
        #expect(german == "/admin/users/auth0%7Cbob?from=x&ui_locales=de")
        #expect(try await browser.open(german).text.contains("bob@example.org"))
    }

    @Test("A query that is too long for a login to keep is left out")
    func longQuery() async throws {
        let fixture = try await DashboardFixture()
        let page = try await fixture.open(
            "/admin/users?q=\(String(repeating: "x", count: 1100))", in: fixture.browser())
        #expect(page.url == "https://\(InProcessServer.host)/admin/users")
    }

    @Test("A proof that a change asks for leads back to its address with the query")
    func proof() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        _ = try await fixture.open("/admin", in: browser)
        fixture.account.grow()
        let link = "/admin/roles/\(DashboardFixture.role)/edit?from=list"
        #expect(try await browser.open(link).path == "/u/login")
        let page = try await fixture.open(link, in: browser)
        #expect(page.url == "https://\(InProcessServer.host)\(link)", "\(page.url)")
    }

    @Test("The second of two administrators who change one object learns of the first's change")
    func meanwhile() async throws {
        let fixture = try await DashboardFixture()
        let (first, second) = (fixture.browser(), fixture.browser())
        let path = "/admin/roles/\(DashboardFixture.role)/edit"
        let page = try await fixture.open(path, in: second)
        _ = try await fixture.change(path, ["m.name": "Chief"], in: first)
        let late = try await second.send(page.form(path), ["m.name": "Boss", "step": "review"])
        #expect(late.answer.status == 400 && late.text.contains("Somebody changed this meanwhile"))
        #expect(late.text.contains("Chief") && late.text.contains("Boss"))
    }

    @Test("A removal of what somebody changed meanwhile is reviewed again")
    func removal() async throws {
        let fixture = try await DashboardFixture()
        let (first, second) = (fixture.browser(), fixture.browser())
        let made = try await fixture.change("/admin/roles/new", ["m.name": "Falcon"], in: first)
        let page = try await fixture.open("\(made.path)/delete", in: second)
        _ = try await fixture.change("\(made.path)/edit", ["m.name": "Osprey"], in: first)
        let late = try await second.send(page.form(page.path), ["step": "change"])
        #expect(late.answer.status == 400 && late.text.contains("Somebody changed this meanwhile"), "\(late.text)")
        #expect(try await second.open("/admin/roles").text.contains("Osprey"))
        #expect(try await second.send(late.form(late.path), ["step": "change"]).path == "/admin/roles")
        #expect(try await !second.open("/admin/roles").text.contains("Osprey"))
    }

    @Test("A login of the user meanwhile is no change of the form")
    func loginMeanwhile() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let path = "/admin/users/auth0%7Cbob/edit"
        let page = try await fixture.open(path, in: browser)
        _ = try await fixture.account.open(.start, in: fixture.browser(), as: "bob@example.org")
        let review = try await browser.send(page.form(path), ["m.name": "Robert", "step": "review"])
        #expect(review.answer.status == 200, "\(review.text)")
        #expect(try await browser.send(review.form(path), ["step": "change"]).text.contains("Robert"))
    }

    @Test("A form of another site, and one that names another person, change nothing")
    func foreignForms() async throws {
        let fixture = try await DashboardFixture { $0.users[1].roles = [DashboardFixture.role] }
        let browser = fixture.browser()
        let path = "/admin/roles/\(DashboardFixture.role)/delete"
        let page = try await fixture.open(path, in: browser)
        let form = try page.form(path)
        let foreign = await fixture.server.send(.form(path, ["step": "change"]))
        #expect(foreign.status == 400)
        _ = try await browser.open("/v2/logout?client_id=web")
        _ = try await fixture.open("/admin/roles", in: browser, as: "bob@example.org")
        _ = try await browser.send(form, ["step": "change"])
        #expect(try await fixture.open("/admin/roles", in: browser).text.contains("Administrator"))
    }
}
