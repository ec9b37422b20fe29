import AuthorizationCore
import Configuration
import HTTPModel
import OAuthWire
import Primitives
import SQL
import TestSupport
import Testing

@Suite("Attacks on the dashboard")
struct DashboardAttackTests {
    private static let few: Set<String> = [
        "read:users", "update:users", "delete:users", "create:user_tickets", "read:roles", "update:roles",
        "delete:roles", "create:guardian_enrollment_tickets", "delete:guardian_enrollments", "delete:sessions",
    ]
    private static let weak = RoleID("rol_weak")
    private static let bob = "bob@example.org"

    /// Ann may do all, and Bob has few scopes.
    private func fixture(_ change: (inout InProcessServer.Setup) throws -> Void = { _ in }) async throws
        -> DashboardFixture
    {
        try await DashboardFixture { setup in
            let permissions = Self.few.map {
                Role.Permission(resourceServer: setup.tenant.managementAudience, scope: $0)
            }
            setup.roles.append(
                Role(id: Self.weak, name: "Help desk", description: "", permissions: Set(permissions)))
            setup.users[1].roles = [Self.weak]
            try change(&setup)
        }
    }

    /// Opens a change's page as Bob, and makes the change.
    private func attempt(
        _ path: String, _ fields: [String: String] = [:], in browser: InProcessBrowser, _ fixture: DashboardFixture
    ) async throws -> InProcessBrowser.Page {
        var page = try await fixture.open(path, in: browser, as: Self.bob)
        if try !fields.isEmpty || page.form(path).fields["once"] == nil {
            page = try await browser.send(page.form(path), fields.merging(["step": "review"]) { $1 })
        }
        return try await browser.send(page.form(path), ["step": "change"])
    }

    private static let strong = [
        "reset-password", "block", "enroll", "reset-factors", "end-sessions", "delete", "remove-role:rol_administrator",
    ]

    @Test("An administrator with fewer scopes takes over, blocks or demotes none with more", arguments: strong)
    func stronger(part: String) async throws {
        let fixture = try await fixture()
        let browser = fixture.browser()
        _ = try await fixture.open("/admin", in: browser, as: Self.bob)
        let before = try await rows(fixture)
        let path = DashboardPath(.users, "auth0|ann", part).rawValue
        let page = try await attempt(path, in: browser, fixture)
        #expect(page.answer.status == 400 && page.text.contains("rights"), "\(page.answer.status) \(page.text)")
        #expect(try await rows(fixture) == before)
    }

    @Test("An administrator with fewer scopes gives themselves no more", arguments: ["add-role:rol_administrator"])
    func elevation(part: String) async throws {
        let fixture = try await fixture()
        let browser = fixture.browser()
        _ = try await fixture.open("/admin", in: browser, as: Self.bob)
        let before = try await rows(fixture)
        let audience = try fixture.server.tenant.managementAudience
        let given = ["m.resource_server_identifier": audience, "m.permission_name": "delete:clients"]
        for (path, fields) in [
            (DashboardPath(.users, "auth0|bob", part), [:]),
            (DashboardPath(.users, "auth0|bob", "add-permission"), given),
            (DashboardPath(.roles, "rol_weak", "add-permission"), given),
            (DashboardPath(.roles, "rol_administrator", "add-members"), ["m.users": "auth0|bob"]),
        ] {
            let page = try await attempt(path.rawValue, fields, in: browser, fixture)
            #expect(page.answer.status == 400, "\(path) \(page.answer.status) \(page.text)")
        }
        #expect(try await rows(fixture) == before)
        let own = DashboardPath(.users, "auth0|bob", "edit").rawValue
        #expect(try await attempt(own, ["m.name": "Robert"], in: browser, fixture).text.contains("Robert"))
    }

    /// Rows of users, their rights and belongings.
    private func rows(_ fixture: DashboardFixture) async throws -> [String] {
        try await fixture.server.dump().filter { row in
            ["user", "tenant_document", "configuration", "password_ticket", "enrollment_ticket", "device"].contains(
                where: row.hasPrefix)
        }
    }

    @Test("A person whose role is taken sees nothing more, and the form that they opened changes nothing")
    func lostRole() async throws {
        let fixture = try await fixture()
        let browser = fixture.browser()
        let path = "/admin/users/auth0%7Cbob/edit"
        let page = try await fixture.open(path, in: browser)
        let review = try await browser.send(page.form(path), ["m.name": "Eve", "step": "review"])
        try await fixture.server.configure { store in
            try store.put(roles: [], of: UserID("auth0|ann"), in: TenantID("dev"), now: Samples.start)
        }
        let late = try await browser.send(review.form(path), ["step": "change"])
        #expect(late.answer.status == 403 && !late.text.contains("bob@example.org"), "\(late.text)")
        #expect(try await browser.open("/admin/users").answer.status == 403)
        let name = try await fixture.server.database.read { connection in
            try connection.query(#"SELECT name FROM "user" WHERE id = 'auth0|bob'"#) { try $0.optionalText(0) }
        }
        #expect(name != ["Eve"])
    }

    @Test("A review that is sent again changes nothing more")
    func replay() async throws {
        let fixture = try await fixture()
        let browser = fixture.browser()
        let path = "/admin/roles/rol_weak/edit"
        let page = try await fixture.open(path, in: browser)
        let review = try await browser.send(page.form(path), ["m.name": "First", "step": "review"])
        #expect(try await browser.send(review.form(path), ["step": "change"]).text.contains("First"))
        _ = try await fixture.change(path, ["m.name": "Second"], in: browser)
        let again = try await browser.send(review.form(path), ["step": "change"])
        #expect(again.answer.status == 400 && again.text.contains("Somebody changed this meanwhile"))
        #expect(try await browser.open("/admin/roles").text.contains("Second"))
    }

    @Test("A session of another tenant opens nothing here, and shows no object of this tenant there")
    func otherTenant() async throws {
        let fixture = try await fixture()
        let own = fixture.browser()
        _ = try await fixture.open("/admin/users", in: own)
        let foreign = InProcessBrowser(fixture.server, host: InProcessServer.otherHost)
        foreign.plant(
            own.cookies.map { cookie in
                var cookie = cookie
                cookie.host = InProcessServer.otherHost
                return cookie
            })
        for path in DashboardTests.sections {
            #expect(try await foreign.open(path.rawValue).path == "/u/login", "\(path)")
        }
        let page = try await fixture.open("/admin/users/auth0%7Czoe", in: own)
        #expect(page.answer.status == 404, "\(page.text)")
    }

    @Test("A form with tokens of another browser or person, or from another site, changes nothing")
    func foreignTokens() async throws {
        let fixture = try await fixture()
        let (victim, attacker) = (fixture.browser(), fixture.browser())
        let path = "/admin/roles/rol_weak/delete"
        let own = try await fixture.open(path, in: victim).form(path)
        let foreign = try await fixture.open(path, in: attacker, as: Self.bob).form(path)
        #expect(try await victim.send(foreign, ["step": "change"]).answer.status == 400)
        for name in own.fields.keys where ["person", "csrf"].contains(name) {
            _ = try await victim.send(own, [name: foreign.fields[name], "step": "change"])
            _ = try await victim.send(own, [name: nil, "step": "change"])
        }
        for origin in ["https://evil.example", "null", "https://\(InProcessServer.otherHost)"] {
            let sent = try await victim.send(own, ["step": "change"], origin: origin)
            #expect(sent.answer.status == 400, "\(origin)")
        }
        #expect(try await victim.open("/admin/roles").text.contains("Help desk"))
        #expect(try await victim.send(own, ["step": "change"]).path == "/admin/roles")
    }

    @Test("No address changes anything by GET")
    func getting() async throws {
        let fixture = try await fixture()
        let browser = fixture.browser()
        let path = "/admin/roles/rol_weak/delete"
        let form = try await fixture.open(path, in: browser).form(path)
        let query = FormFields(form.fields.map { ($0.key, $0.value) } + [("step", "change")]).encoded
        _ = try await browser.open("\(path)?\(query)")
        #expect(try await browser.open("/admin/roles").text.contains("Help desk"))
    }

    private static let probe = #"<xss-probe>"'><script>alert(1)</script><a href="javascript:alert(1)">x</a>{{ 7 }}"#

    @Test("Markup in names, descriptions, metadata and templates is text on every page")
    func storedMarkup() async throws {
        let probe = Self.probe
        let fixture = try await fixture { setup in
            setup.tenant.settings.managementRequestsPerMinute = 1_000_000
            setup.users[1].name = probe
            setup.users[1].nickname = probe
            setup.roles.append(Role(id: RoleID("rol_probe"), name: probe, description: probe, permissions: []))
            setup.clients.append(Samples.client("probe") { $0.name = probe })
            var api = try Samples.resourceServer("https://probe.example/")
            api.name = probe
            setup.apis.append(api)
        }
        try await fixture.server.configure { store in
            try store.put(
                UserMetadata(user: ["a": .string(probe)], app: [:]), of: UserID("auth0|bob"), in: TenantID("dev"))
        }
        let browser = fixture.browser(["User-Agent": probe])
        let mail = [
            "m.subject": "s", "m.body": probe + "{{ url }}", "m.from": "a@example.org", "m.enabled": "true",
            "m.syntax": "liquid",
        ]
        let made = try await fixture.change("/admin/templates/reset_email/create", mail, in: browser)
        #expect(made.answer.status == 200, "\(made.text)")
        var waiting = ["/admin", "/admin/users/auth0%7Cbob/timeline"]
        var seen: Set<String> = []
        while let link = waiting.popLast() {
            guard let path = DashboardPath(rawValue: link), seen.count < 300, seen.insert(path.path).inserted else {
                continue
            }
            if path.part == "preview" {
                let preview = await browser.request(
                    Request(method: .get, path: path.path, query: nil, fields: ["Host": InProcessServer.host]))
                #expect(preview.fields["Content-Security-Policy"]?.hasPrefix("sandbox; default-src 'none'") == true)
                continue
            }
            let page = try await browser.open(link)
            let elements = try Markup.read(page.answer.body).all
            #expect(!elements.contains { $0.name == "xss-probe" }, "\(link)")
            #expect(!elements.contains { $0["href"]?.hasPrefix("javascript:") == true }, "\(link)")
            #expect(
                elements.filter { $0.name == "script" }.allSatisfy { $0.text.isEmpty && $0["src"] != nil }, "\(link)")
            #expect(page.answer.fields["X-Frame-Options"] == "DENY", "\(link)")
            #expect(
                page.answer.fields["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true, "\(link)")
            waiting += page.links.filter { $0.hasPrefix("/admin") }
        }
        #expect(seen.count > 60, "\(seen.count) pages")
    }
}
