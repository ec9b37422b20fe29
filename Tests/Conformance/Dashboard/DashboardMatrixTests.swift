import AuthorizationCore
import HTTPModel
import OAuthWire
import Primitives
import TestSupport
import Testing

@testable import Endpoints

/// Every section and every change that it offers, for persons with each single scope of the Management API.
@Suite("The dashboard: pages × scopes")
struct DashboardMatrixTests {
    /// A server with an object of each section. Ann's role has all scopes until the test takes them.
    private struct Walk {
        let fixture: DashboardFixture
        let browser: InProcessBrowser
        /// Sets of scopes of which each operation needs one.
        let needs: [String: [[String]]]
        /// Fields of a form of Ann's, which are true for every page of hers.
        let fields: [String: String]
        let objects: [DashboardPath.Section: String]

        init() async throws {
            fixture = try await DashboardFixture { setup in
                setup.tenant.settings.managementRequestsPerMinute = 1_000_000
            }
            browser = fixture.browser()
            _ = try await InProcessPhone(DashboardUsersTests.bob, in: fixture.server)
            _ = try await InProcessClient(via: fixture.server).started(
                ["login_hint": InProcessClient.loginHint(DashboardUsersTests.bob.rawValue)])
            let document = await fixture.server.send(.get("/openapi.json")).json
            var needs: [String: [[String]]] = [:]
            for (_, item) in document["paths"]?.objectValue ?? [:] {
                for (_, operation) in item.objectValue ?? [:] {
                    guard let id = operation["operationId"]?.stringValue else { continue }
                    needs[id] = (operation["security"]?.arrayValue ?? []).compactMap { $0["bearer"]?.stringsValue }
                }
            }
            self.needs = needs
            let page = try await fixture.open("/admin/roles/\(DashboardFixture.role)/edit", in: browser)
            fields = try page.form("/admin/roles/\(DashboardFixture.role)/edit").fields.filter {
                !$0.key.hasPrefix("m.")
            }
            var objects: [DashboardPath.Section: String] = [:]
            for section in DashboardPath.Section.allCases {
                objects[section] = try await Self.object(of: section, fixture, browser)
            }
            self.objects = objects
        }

        /// An object of the section. Each section needs one.
        private static func object(
            of section: DashboardPath.Section, _ fixture: DashboardFixture, _ browser: InProcessBrowser
        ) async throws -> String {
            switch section {
            case .users: "auth0|bob"
            case .roles: DashboardFixture.role.rawValue
            case .clients: "agent"
            case .push: "apns"
            case .templates: "reset_email"
            case .settings, .branding, .mail, .statistics, .configuration, .health, .confirmation: "tenant"
            case .domains: try await first(.domains, fixture, browser)
            case .apis, .grants, .connections, .keys, .log, .requests, .deliveries:
                try await first(section, fixture, browser)
            }
        }

        /// The first object of the section's list, or an id that nothing has.
        private static func first(
            _ section: DashboardPath.Section, _ fixture: DashboardFixture, _ browser: InProcessBrowser
        ) async throws -> String {
            let list = DashboardPath(section).rawValue
            let links = try await fixture.open(list, in: browser).links.compactMap { DashboardPath(rawValue: $0) }
            return links.first { $0.section == section && $0.object != nil && $0.object != DashboardPath.new }?.object
                ?? "none"
        }

        func allows(_ operation: String, _ scopes: Set<String>) -> Bool {
            (needs[operation] ?? []).contains(where: scopes.isSuperset)
        }

        /// Rows of all tables but those that a look changes.
        func rows() async throws -> [String] {
            try await fixture.server.dump().filter { row in
                !["session", "login", "rate", "configuration_version", "used_token"].contains(where: row.hasPrefix)
            }
        }

        func give(_ scopes: Set<String>) async throws {
            let audience = try fixture.server.tenant.managementAudience
            let permissions = Set(scopes.map { Role.Permission(resourceServer: audience, scope: $0) })
            try await fixture.server.configure { store in
                let role = Role(
                    id: DashboardFixture.role, name: "Administrator", description: "", permissions: permissions)
                try store.put(role, in: TenantID("dev"))
            }
        }

        /// Address of an action's page.
        func address(_ action: DashboardAction, of section: DashboardPath.Section) -> String {
            let object = objects[section] ?? "none"
            guard action.part != "new" else { return DashboardPath(section, DashboardPath.new).rawValue }
            return DashboardPath(section, object, action.part).rawValue
        }
    }

    private static let halves = [0, 1, 2, 3]

    @Test("A person with one scope sees what it allows; all else is refused and changes nothing", arguments: halves)
    func matrix(part: Int) async throws {
        let walk = try await Walk()
        let scopes = ResourceServer.managementScopes.enumerated().filter { $0.offset % Self.halves.count == part }
        for (_, scope) in scopes {
            try await walk.give([scope])
            let before = try await walk.rows()
            for section in DashboardPath.Section.allCases { try await check(section, [scope], walk) }
            try await crawl([scope], walk)
            #expect(try await walk.rows() == before, "\(scope) changed something")
        }
    }

    private func check(_ section: DashboardPath.Section, _ scopes: Set<String>, _ walk: Walk) async throws {
        guard let content = DashboardSections.content(of: section) else { return }
        let place = "\(section) with \(scopes)"
        let list = try await walk.browser.open(DashboardPath(section).rawValue)
        #expect((list.answer.status == 200) == walk.allows(content.operation, scopes), "\(place): \(list.text)")
        if list.answer.status != 200 { #expect(list.answer.status == 403, "\(place)") }
        for action in content.actions where !walk.allows(action.operation, scopes) {
            let address = walk.address(action, of: section)
            #expect(try await walk.browser.open(address).answer.status == 403, "\(place): \(address)")
            var fields = walk.fields
            fields["step"] = "change"
            let form = InProcessBrowser.Form(action: address, fields: fields)
            let sent = try await walk.browser.send(form)
            #expect(sent.answer.status == 403 && sent.path == address, "\(place): \(address) \(sent.text)")
        }
    }

    /// Follows all links from the start. Each leads to a page that the scopes allow.
    private func crawl(_ scopes: Set<String>, _ walk: Walk) async throws {
        let start = try await walk.browser.open("/admin")
        let shown = Set(start.links.compactMap { DashboardPath(rawValue: $0)?.section })
        let allowed = DashboardPath.Section.allCases.filter { section in
            DashboardSections.content(of: section).map { walk.allows($0.operation, scopes) } ?? false
        }
        #expect(shown == Set(allowed), "\(scopes)")
        var waiting = start.links
        var seen: Set<String> = []
        while let link = waiting.popLast() {
            // A mail's own markup has no links.
            guard let path = DashboardPath(rawValue: link), path.part != "preview", seen.count < 200,
                seen.insert(path.path).inserted
            else {
                continue
            }
            let page = try await walk.browser.open(link)
            #expect(page.answer.status == 200 || page.answer.status == 404, "\(scopes): \(link) \(page.text)")
            waiting += page.links.filter { $0.hasPrefix("/admin") }
        }
    }

    @Test("Every section that has pages offers changes of operations that exist")
    func operations() async throws {
        let walk = try await Walk()
        for section in DashboardPath.Section.allCases {
            guard let content = DashboardSections.content(of: section) else { continue }
            for operation in [content.operation] + content.actions.map(\.operation) {
                #expect(walk.needs[operation]?.isEmpty == false, "\(section): \(operation)")
            }
        }
    }
}
