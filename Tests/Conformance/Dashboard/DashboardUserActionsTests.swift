import Audit
import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import SQL
import TestSupport
import Testing

@Suite("The dashboard's changes of users")
struct DashboardUserActionsTests {
    private static let page = DashboardUsersTests.page

    private static func path(_ part: String) -> String { DashboardUsersTests.path(part) }

    /// Kinds of entries of the log whose actor is Ann, and whose user is Bob.
    private func changes(_ fixture: DashboardFixture) async throws -> [String] {
        try await fixture.server.database.auditLog()
            .filter { $0.actor == "person:auth0|ann" && $0.user == "auth0|bob" }.map(\.kind)
    }

    @Test("A user is created, and invited by a link that is shown once")
    func invitation() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let made = try await fixture.change(
            "/admin/users/new", ["m.email": "new@example.org", "m.name": "New One"], in: browser)
        #expect(made.path.hasPrefix("/admin/users/auth0%7C") && made.text.contains("New One"), "\(made.text)")
        let invited = try await fixture.change(made.path + "/invite", in: browser)
        let link = try #require(try ticket(in: invited))
        #expect(invited.text.contains("shown once"))
        let visitor = fixture.browser()
        #expect(try await visitor.open(link).answer.status == 200)
        #expect(try await !fixture.open(made.path, in: browser).answer.text.contains("ticket="))
    }

    /// The link that the page shows.
    private func ticket(in page: InProcessBrowser.Page) throws -> String? {
        try Markup.read(page.answer.body).all("code").map(\.text)
            .first { $0.hasPrefix("https://") && $0.contains("ticket=") }
    }

    @Test("Blocking ends sessions, and both are changes by the person")
    func block() async throws {
        let fixture = try await DashboardFixture()
        let (browser, bobs) = (fixture.browser(), fixture.browser())
        _ = try await fixture.account.open(.start, in: bobs, as: "bob@example.org")
        let done = try await fixture.change(Self.path("block"), in: browser)
        #expect(done.path == Self.page && done.text.contains("Blocked"))
        #expect(try await bobs.open(AccountPath.start.rawValue).path == "/u/login")
        let again = try await fixture.change(Self.path("unblock"), in: browser)
        #expect(again.path == Self.page && again.text.contains("Address not confirmed"))
        #expect(try await changes(fixture) == ["sapi", "sapi"])
    }

    @Test("The profile is edited by the API's names, with metadata as JSON")
    func edit() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let typed = ["m.name": "Robert", "m.user_metadata": "{\"theme\": \"dark\"}"]
        let done = try await fixture.change(Self.path("edit"), typed, in: browser)
        #expect(done.path == Self.page && done.text.contains("Robert") && done.text.contains("dark"), "\(done.text)")
        #expect(try await changes(fixture) == ["sapi"])
    }

    @Test("A typed password is shown nowhere, and the commands take it from a variable")
    func password() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let form = try await fixture.open("/admin/users/new", in: browser)
        let review = try await browser.send(
            form.form(form.path),
            ["m.email": "new@example.org", "m.password": "wide river's snow", "step": "review"])
        #expect(review.text.contains("••••••••") && !review.text.contains("wide river"), "\(review.text)")
        #expect(review.text.contains(#""password":"'"$PASSWORD"'""#), "\(review.text)")
        let made = try await browser.send(review.form(review.path), ["step": "change"])
        #expect(made.text.contains("new@example.org") && !made.text.contains("wide river"))
    }

    @Test("A phone is enrolled by a link with a QR code")
    func enroll() async throws {
        let fixture = try await DashboardFixture()
        let page = try await fixture.change(Self.path("enroll"), in: fixture.browser())
        let link = try #require(try ticket(in: page))
        #expect(page.answer.text.contains("<svg"))
        #expect(try await fixture.browser().open(link).answer.status == 200)
        #expect(try await changes(fixture) == ["gd_start_enroll"])
    }

    @Test("One phone, one-time passwords, or all factors are removed")
    func factors() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let phone = try await InProcessPhone(DashboardUsersTests.bob, in: fixture.server)
        _ = try await fixture.change(Self.path("remove-passwords:totp|\(phone.id)"), in: browser)
        #expect(try await fixture.open(Self.page, in: browser).text.contains(phone.id.rawValue))
        let removed = try await fixture.change(Self.path("remove-phone:push|\(phone.id)"), in: browser)
        #expect(removed.path == Self.page && removed.text.contains("No phone is enrolled"))
        let other = try await InProcessPhone(DashboardUsersTests.bob, identifier: "PHONE-2", in: fixture.server)
        let reset = try await fixture.change(Self.path("reset-factors"), in: browser)
        #expect(reset.text.contains("No phone is enrolled"))
        #expect(try await fixture.server.device(other.id.rawValue) == nil)
    }

    @Test("A new recovery code is shown once, replaces the others, and takes the place of the phone")
    func recoveryCode() async throws {
        let fixture = try await DashboardFixture { $0.tenant.settings.multiFactor = .whenEnrolled }
        let browser = fixture.browser()
        let phone = try await InProcessPhone(DashboardUsersTests.bob, in: fixture.server)
        let page = try await fixture.change(Self.path("new-code"), in: browser)
        let codes = try Markup.read(page.answer.body).all("code").map(\.text)
        let code = try #require(codes.first { RecoveryCode(typed: $0) != nil })
        let shown = try await fixture.open(Self.page, in: browser)
        #expect(shown.text.contains("1 unused code is left") && !shown.text.contains(code))
        #expect(try await changes(fixture) == ["recovery_codes_made"])
        #expect(try await fixture.server.device(phone.id.rawValue) != nil)
    }

    @Test("Sessions end one by one, or all")
    func sessions() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let agent = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
        let bobs = fixture.browser(["User-Agent": agent])
        _ = try await fixture.account.open(.start, in: bobs, as: "bob@example.org")
        let page = try await fixture.open(Self.page, in: browser)
        #expect(page.text.contains("Firefox on Linux") && page.text.contains("198.51.100.7"), "\(page.text)")
        let end = try #require(page.links.first { $0.contains("end-session:") || $0.contains("end-session%3A") })
        let review = try await browser.open(end)
        _ = try await browser.send(review.form(review.path), ["step": "change"])
        #expect(try await bobs.open(AccountPath.start.rawValue).path == "/u/login")
        _ = try await fixture.account.open(.start, in: bobs, as: "bob@example.org")
        _ = try await fixture.change(Self.path("end-sessions"), in: browser)
        #expect(try await bobs.open(AccountPath.start.rawValue).path == "/u/login")
    }

    @Test("Roles and permissions are given and taken, and say where they come from")
    func rights() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let choice = try await fixture.open(Self.path("roles"), in: browser)
        let add = try #require(choice.links.first { $0.contains("add-role") })
        let review = try await browser.open(add)
        let given = try await browser.send(review.form(review.path), ["step": "change"])
        #expect(given.path == Self.page && given.text.contains("Administrator"))
        let typed = ["m.resource_server_identifier": Samples.api, "m.permission_name": "pay:read"]
        let direct = try await fixture.change(Self.path("add-permission"), typed, in: browser)
        #expect(direct.path == Self.page, "\(direct.text)")
        let permissions = try await fixture.open(Self.path("permissions"), in: browser)
        #expect(permissions.text.contains("given directly") || permissions.links.contains { $0.contains("from=") })
        let taken = try await fixture.change(Self.path("remove-permission:pay:read \(Samples.api)"), in: browser)
        #expect(taken.path == Self.page)
        let removed = try await fixture.change(Self.path("remove-role:\(DashboardFixture.role)"), in: browser)
        #expect(removed.text.contains("The user has no role"))
        #expect(removed.text.contains("The user has no permission"))
        #expect(try await changes(fixture).count == 4)
    }

    @Test("Deleting a user is final, and leads to the list")
    func deletion() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let review = try await fixture.open(Self.path("delete"), in: browser)
        #expect(review.text.contains("This cannot be undone"))
        let done = try await browser.send(review.form(review.path), ["step": "change"])
        #expect(done.path == "/admin/users" && !done.links.contains { $0.contains("bob") })
        #expect(try await fixture.open(Self.page, in: browser).answer.status == 404)
    }

    // MARK: scopes

    private static let parts = [
        "edit", "delete", "invite", "reset-password", "block", "unblock", "lift", "verify-email", "enroll",
        "reset-factors", "remove-phone:push|x", "remove-passkey:passkey|x", "new-code", "end-session:x",
        "end-sessions", "revoke-consent:x", "revoke-token:x", "revoke-tokens", "add-role:\(DashboardFixture.role)",
        "remove-role:\(DashboardFixture.role)", "add-permission", "remove-permission:a b",
    ]

    @Test("An administrator who may only read users sees no more, and changes nothing")
    func readerOfUsers() async throws {
        let fixture = try await DashboardFixture(scopes: ["read:users"])
        _ = try await InProcessPhone(DashboardUsersTests.bob, in: fixture.server)
        let browser = fixture.browser()
        let page = try await fixture.open(Self.page, in: browser)
        #expect(page.text.contains("Ann's phone") && page.text.contains("bob@example.org"))
        for text in ["Timeline", "Sessions", "Recovery codes", "Roles"] {
            #expect(!page.text.contains(text), "\(text)")
        }
        for part in Self.parts {
            let name = try #require(part.split(separator: ":").first)
            #expect(!page.links.contains { $0.hasSuffix("/\(name)") || $0.contains("/\(name):") }, "\(part)")
            let refused = try await fixture.open(Self.path(part), in: browser)
            #expect(refused.answer.status == 403, "\(part): \(refused.answer.status)")
        }
        #expect(try await changes(fixture) == [])
    }

    @Test("An administrator of one scope changes what it covers, and sees no user", arguments: ["update:users"])
    func oneScope(scope: String) async throws {
        let fixture = try await DashboardFixture(scopes: [scope])
        let browser = fixture.browser()
        #expect(try await fixture.open(Self.page, in: browser).answer.status == 403)
        _ = try await fixture.change(Self.path("block"), in: browser)
        #expect(try await changes(fixture) == ["sapi"])
        #expect(try await fixture.open(Self.path("delete"), in: browser).answer.status == 403)
        #expect(try await fixture.open(Self.path("new-code"), in: browser).answer.status == 403)
    }

    // MARK: roles

    @Test("A role's page shows its permissions and members, and adds and removes both")
    func role() async throws {
        let fixture = try await DashboardFixture()
        let browser = fixture.browser()
        let made = try await fixture.change(
            "/admin/roles/new", ["m.name": "Payers", "m.description": "May pay"], in: browser)
        #expect(made.path.hasPrefix("/admin/roles/rol_") && made.text.contains("No user has this role"), "\(made.text)")
        let typed = ["m.resource_server_identifier": Samples.api, "m.permission_name": "pay:read"]
        var page = try await fixture.change(made.path + "/add-permission", typed, in: browser)
        #expect(page.text.contains("pay:read"), "\(page.text)")
        page = try await fixture.change(made.path + "/add-members", ["m.users": "auth0|bob"], in: browser)
        #expect(page.links.contains { $0.hasPrefix(Self.page) }, "\(page.text)")
        page = try await fixture.change(
            made.path + "/" + PercentEncoding.encode("remove-member:auth0|bob"), in: browser)
        #expect(page.text.contains("No user has this role"))
        let item = PercentEncoding.encode("remove-permission:pay:read \(Samples.api)")
        page = try await fixture.change(made.path + "/" + item, in: browser)
        #expect(!page.text.contains("pay:read"))
        page = try await fixture.change(made.path + "/delete", in: browser)
        #expect(page.path == "/admin/roles" && !page.text.contains("Payers"))
    }
}
