import Audit
import AuthorizationCore
import Configuration
import HTTPModel
import OAuthWire
import Primitives
import SQL
import TestSupport
import Testing

@Suite("The dashboard's users")
struct DashboardUsersTests {
    static let bob = UserID("auth0|bob")
    static let page = DashboardPath(.users, bob.rawValue).rawValue

    static func path(_ part: String) -> String { DashboardPath(.users, bob.rawValue, part).rawValue }

    // MARK: looking

    @Test("User Management, then Users, then the user leads to the phone that the user enrolled")
    func enrollment() async throws {
        let fixture = try await DashboardFixture { $0.users[1].name = "Bob Example" }
        let phone = try await InProcessPhone(Self.bob, in: fixture.server)
        let browser = fixture.browser()
        var page = try await fixture.open("/admin", in: browser)
        #expect(page.text.contains("User Management"))
        page = try await browser.open(try #require(page.links.first { $0.contains("/admin/users") }))
        #expect(page.text.contains("Bob Example") && page.text.contains("bob@example.org"))
        page = try await browser.open(try #require(page.links.first { $0.contains("bob") }))
        #expect(page.path == Self.page)
        #expect(page.text.contains("Multi-Factor Authentication") && page.text.contains("Ann's phone"))
        #expect(page.text.contains(phone.id.rawValue) && page.text.contains("Enrolled"))
        #expect(page.text.contains("Does not ring: the phone has no push service"))
    }

    @Test("Words find users by the beginning of each, and Lucene's syntax is a query")
    func search() async throws {
        let fixture = try await DashboardFixture { setup in
            setup.users[1].name = "Bob Example"
            setup.users.append(
                Samples.user("auth0|eve") {
                    $0.name = "Eve (*) \"Smith"
                    $0.username = "eve"
                })
        }
        let browser = fixture.browser()
        _ = try await fixture.open("/admin/users", in: browser)
        let found = [
            "bob": ["bob"], "exam": ["bob"], "BOB example": ["bob"], "bob eve": [], "bob@example.org": ["bob"],
            "ev": ["eve"], "auth0|bob": ["bob"], "email:bob*": ["bob"], "NOT email:*": ["eve"],
            "username:eve OR email:bob*": ["bob", "eve"], "nobody": [],
        ]
        for (typed, names) in found {
            let page = try await fixture.open("/admin/users?q=\(PercentEncoding.encode(typed))", in: browser)
            let shown = ["ann", "bob", "eve"].filter { name in page.links.contains { $0.contains("auth0%7C\(name)") } }
            #expect(page.answer.status == 200 && shown == names, "\(typed): \(page.text)")
        }
    }

    @Test("A query that cannot be read is shown again with its problem")
    func badQuery() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        _ = try await fixture.open("/admin/users", in: browser)
        let page = try await browser.open("/admin/users?q=emial:bob")
        #expect(page.answer.status == 400 && page.text.contains("emial"), "\(page.text)")
        #expect(page.answer.text.contains("value=\"emial:bob\""))
    }

    @Test("The list of users pages by key")
    func pages() async throws {
        let fixture = try await DashboardFixture { setup in
            setup.users += (0..<60).map { Samples.user("auth0|number-\($0)") }
        }
        let browser = fixture.browser()
        let first = try await fixture.open("/admin/users", in: browser)
        let next = try #require(first.links.first { $0.contains("from=") })
        let second = try await browser.open(next)
        func users(_ page: InProcessBrowser.Page) -> Set<String> {
            Set(page.links.filter { $0.contains("/admin/users/auth0") })
        }
        #expect(users(first).count == 50 && users(second).count == 12)
        #expect(users(first).isDisjoint(with: users(second)))
        #expect(!next.contains("page="))
    }

    @Test("Names, metadata and errors of others are text")
    func markup() async throws {
        let markup = "<script>alert(1)</script><b>x</b>"
        let fixture = try await DashboardFixture { setup in
            setup.users[1].name = markup
            setup.users[1].givenName = markup
        }
        _ = try await InProcessPhone(Self.bob, in: fixture.server)
        try await fixture.server.configure { store in
            let metadata = UserMetadata(user: ["note": .string(markup)], app: ["\(markup)": true])
            try store.put(metadata, of: Self.bob, in: TenantID("dev"))
        }
        let browser = fixture.browser()
        for path in ["/admin/users", Self.page, Self.path("timeline"), Self.path("edit")] {
            let page = try await fixture.open(path, in: browser)
            #expect(page.answer.status == 200, "\(path)")
            #expect(!page.answer.text.contains("<script>alert") && !page.answer.text.contains("<b>x"), "\(path)")
        }
        #expect(try await fixture.open(Self.page, in: browser).text.contains(markup))
    }

    @Test("The timeline has logins, requests, deliveries, phones and changes, and links to requests")
    func timeline() async throws {
        let fixture = try await DashboardFixture()
        let phone = try await InProcessPhone(Self.bob, in: fixture.server)
        _ = try await fixture.account.logins.logIn(fixture.browser(), as: "bob@example.org")
        let client = InProcessClient(via: fixture.server)
        let request = try await client.started(["login_hint": InProcessClient.loginHint(Self.bob.rawValue)])
        _ = try await phone.decideNewest()
        let browser = fixture.browser()
        _ = try await fixture.change(Self.path("block"), in: browser)
        let page = try await fixture.open(Self.page, in: browser)
        for text in [
            "A phone was enrolled", "The user logged in", "A client asked for an approval",
            "The user allowed a request", "A change was made", "by auth0|ann",
        ] { #expect(page.text.contains(text), "\(text) in \(page.text)") }
        let consent = InProcessClient.consent(of: request)
        #expect(page.links.contains { $0.contains("/admin/requests/\(consent)") })
        let german = try await browser.open(Self.page + "?ui_locales=de")
        #expect(german.text.contains("Ein Telefon wurde registriert"))
    }

    @Test("A user with many entries has pages of older ones by key, each entry once")
    func manyEntries() async throws {
        let fixture = try await DashboardFixture()
        let now = fixture.server.clock.now
        try await fixture.server.configure { store in
            for number in 0..<200 {
                let address = "192.0.2.\(number)"
                var event = AuditEvent(
                    .wrongPassword, tenant: TenantID("dev"), at: now + .seconds(number), user: Self.bob)
                event.remoteAddress = address
                try store.record(event)
            }
        }
        let browser = fixture.browser()
        var page = try await fixture.open(Self.path("timeline"), in: browser)
        var seen: [String] = []
        var pages = 0
        while true {
            pages += 1
            let part = try Markup.read(page.answer.body).all("code").map(\.text).filter { $0.hasPrefix("192.0.2.") }
            seen += part
            guard pages < 9, let older = page.links.first(where: { $0.contains("from=") }) else { break }
            page = try await browser.open(older)
        }
        #expect(seen == (0..<200).reversed().map { "192.0.2.\($0)" } && pages >= 4, "\(pages): \(seen.count)")
    }
}
