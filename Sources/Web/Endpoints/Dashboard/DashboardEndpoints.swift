import APIDescription
import AuthorizationCore
import Flows
import HTTPModel
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives
import Routing

/// The pages of a tenant's administrators. Each shows what operations of the Management API answer, and each change is
/// one such operation, called for the person with the scopes that the person's roles permit.
struct DashboardEndpoints: Sendable {
    let pages: HostedPages
    let management: ManagementAPI

    private static let path = DashboardPath.root
    private static let section = "section"
    private static let object = "object"
    private static let part = "part"

    var routes: [Route] {
        let list = "\(Self.path)/{\(Self.section)}"
        let object = "\(list)/{\(Self.object)}"
        return [
            route(Self.path, "admin_start", "Show the dashboard", sends: false),
            route(list, "admin_section", "Show a section of the dashboard", sends: false),
            route(object, "admin_object", "Show or create an object"),
            route("\(object)/{\(Self.part)}", "admin_part", "Show or change a part of an object"),
        ]
    }

    private func route(_ path: String, _ id: String, _ summary: String, sends: Bool = true) -> Route {
        var methods: [HTTPMethod: (operation: Operation, handle: Route.Handle)] = [
            .get: (.hosted("\(id)_page", summary), pages.page(show))
        ]
        if sends { methods[.post] = (.hosted(id, "Send the page's form"), pages.form(send)) }
        return Route(path: path, .oauth, answersHead: false, methods)
    }

    /// Nil for an address that no page has.
    private func path(of request: PageRequest) -> DashboardPath? {
        let call = request.call
        let section = call.parameter(Self.section)
        guard !section.isEmpty else { return DashboardPath() }
        func given(_ name: String) -> String? { call.parameter(name).isEmpty ? nil : call.parameter(name) }
        return DashboardPath(section: section, object: given(Self.object), part: given(Self.part))
    }

    // MARK: handling

    @Sendable private func show(_ request: PageRequest) async throws -> Response {
        guard let path = path(of: request) else { return request.redirect(to: DashboardPath().rawValue) }
        let action = DashboardSections.action(at: path)
        let needsProof = action?.isGuarded ?? (path.section == .confirmation)
        return try await visited(request, path, forChange: needsProof) { visit in
            if let action { return try await ActionPages(action, visit).show() }
            return try await DashboardSections.view(at: path, visit)
        }
    }

    @Sendable private func send(_ request: PageRequest) async throws -> Response {
        guard let path = path(of: request), let action = DashboardSections.action(at: path) else {
            return request.redirect(to: DashboardPath().rawValue)
        }
        return try await visited(request, path, forChange: false) { visit in
            guard visit.isOwnForm else { return request.redirect(to: visit.url(path).text) }
            return try await ActionPages(action, visit).send(isRecent: try await isRecent(request, path, action))
        }
    }

    /// Parameters to which a login leads back: those of the address, but for the language, which the login keeps itself.
    private static func query(of request: PageRequest) -> [(name: String, value: String)] {
        guard request.http.method == .get else { return [] }
        let pairs = (try? FormFields(parsing: Array((request.http.query ?? "").utf8)))?.pairs ?? []
        return pairs.filter { $0.name != "ui_locales" && $0.name != DashboardVisit.done }
    }

    /// True if the person proved themselves as recently as the action needs.
    private func isRecent(
        _ request: PageRequest, _ path: DashboardPath, _ action: DashboardAction
    ) async throws -> Bool {
        guard action.isGuarded else { return true }
        return try await login.visitor(
            at: .dashboard(path, isForChange: true), uiLocales: request.chosenLocales, browser: request.browser,
            context: request.context) != nil
    }

    private var login: PageLogin { pages.hosted.flows.pages.login }

    /// Has the person log in first. `forChange` asks for a recent proof, too. Refusals of operations become pages.
    private func visited(
        _ request: PageRequest, _ path: DashboardPath, forChange: Bool,
        _ body: (DashboardVisit) async throws -> Response
    ) async throws -> Response {
        let page = OwnPage.dashboard(path.with(Self.query(of: request)), isForChange: forChange)
        return try await request.visited(page) { visitor in
            let visit = DashboardVisit(
                request: request, path: path, visitor: visitor,
                calls: management.personal(visitor.user, request.call))
            guard !visit.calls.scopes.isEmpty else { return visit.refused() }
            do {
                return try await body(visit)
            } catch let refusal as ManagementRefusal {
                return visit.page(for: refusal)
            }
        }
    }
}
