import ApprovalWire
import HTTPModel
import JSONSchema
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Sessions, applications, roles and permissions of a user.
enum UserAccess {
    private static var texts: Localized<Texts.Dashboard.Users.Access> { localized.dashboard.users.access }
    private static var changes: Words { .ours(localized.dashboard.frame.change) }
    /// Rows on the user's page. The rest is on pages of their own.
    private static let shown = 10
    private static let pageSize = 50

    static func blocks(_ visit: DashboardVisit) async throws -> [DashboardBlock] {
        let names = try await clientNames(visit)
        return try await sessions(visit, names, take: shown)
            + consents(visit, names) + tokens(visit, names, take: shown) + roles(visit)
            + permissions(visit, take: shown)
    }

    /// Pages of the longer lists.
    static var parts: [String: DashboardSections.View] {
        [
            "sessions": page(texts.sessions) { try await sessions($0, clientNames($0), take: pageSize) },
            "refresh-tokens": page(texts.refreshToken) { try await tokens($0, clientNames($0), take: pageSize) },
            "permissions": page(texts.permissions) { try await permissions($0, take: pageSize) },
            "roles": page(localized.dashboard.users.actions.addRole, chooseRole),
        ]
    }

    private static func page(
        _ title: LocalizedText, _ blocks: @escaping @Sendable (DashboardVisit) async throws -> [DashboardBlock]
    ) -> DashboardSections.View {
        { visit in visit.show(title, visit.doneNotice + (try await blocks(visit))) }
    }

    /// Names of clients by their ids, as far as one call gives them.
    static func clientNames(_ visit: DashboardVisit) async throws -> [String: String] {
        let query = [("take", "100"), ("fields", "client_id,name")]
        let clients = try await visit.ifAllowed("list_clients", query: query)?["clients"]?.arrayValue ?? []
        return Dictionary(
            clients.compactMap { client in
                client["client_id"]?.stringValue.map { ($0, client["name"]?.stringValue ?? $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    private static func client(
        _ id: String, _ names: [String: String], _ visit: DashboardVisit
    ) -> DashboardBlock.Inline { visit.linked(.theirs(names[id] ?? id), .clients, id) }

    /// One page of a list by key, and the links to the next ones: on the user's page to the list's own.
    private static func listed(
        _ visit: DashboardVisit, _ operation: String, _ member: String, part: String, take: Int
    ) async throws -> (items: [JSONValue], more: [DashboardBlock])? {
        var query = [("take", String(take))]
        if visit.path.part != nil, let from = visit.given(DashboardVisit.from) { query.append(("from", from)) }
        guard let answer = try await visit.ifAllowed(operation, [visit.path.object ?? ""], query: query) else {
            return nil
        }
        let next = answer["next"]?.stringValue
        var more: [DashboardBlock] = []
        if visit.path.part != nil {
            more = visit.pager(next)
        } else if next != nil {
            more = [.links([DashboardBlock.Link(.ours(texts.all), visit.url(.users, visit.path.object, part))])]
        }
        return (answer[member]?.arrayValue ?? [], more)
    }

    // MARK: sessions

    private static func sessions(
        _ visit: DashboardVisit, _ names: [String: String], take: Int
    ) async throws -> [DashboardBlock] {
        let found = try await listed(visit, "list_user_sessions", "sessions", part: "sessions", take: take)
        guard let (items, more) = found else { return [] }
        let rows = items.map { session -> [[DashboardBlock.Inline]] in
            let software = BrowserSoftware(userAgent: session["device"]?["last_user_agent"]?.stringValue)
            let clients = (session["clients"]?.arrayValue ?? []).compactMap { $0["client_id"]?.stringValue }
            return [
                [
                    .words(
                        .ours(LocalizedText { LoginPresentation.screen(software.browser, software.system, in: $0) }))
                ],
                session["device"]?["last_ip"]?.stringValue.map { [.code($0)] } ?? [],
                DashboardBlock.Inline.value(session["last_interacted_at"]),
                DashboardBlock.Inline.value(session["created_at"]),
                clients.map { client($0, names, visit) },
                visit.link(UserActions.endSession, session["id"]?.stringValue ?? ""),
            ]
        }
        let table = DashboardBlock.table(
            columns: [
                .ours(texts.browser), .ours(texts.address), .ours(localized.dashboard.users.factors.lastUse),
                .ours(texts.begun), .ours(texts.applications), changes,
            ], rows: rows, empty: [.text(.ours(texts.noSessions))])
        let heading: [DashboardBlock] = visit.path.part == nil ? [.heading(texts.sessions)] : []
        return heading + [table] + more
            + (rows.isEmpty || visit.path.part != nil ? [] : visit.links([UserActions.endSessions]))
    }

    // MARK: applications

    private static func consents(
        _ visit: DashboardVisit, _ names: [String: String]
    ) async throws -> [DashboardBlock] {
        let query = [("user_id", visit.path.object ?? ""), ("per_page", "100")]
        let answer = try await visit.ifAllowed("list_grants", query: query)
        let rows = (answer?.arrayValue ?? []).map { grant in
            [
                [client(grant["clientID"]?.stringValue ?? "", names, visit)],
                [
                    visit.linked(
                        .theirs(grant["audience"]?.stringValue ?? ""), .apis, grant["audience"]?.stringValue ?? "")
                ],
                DashboardBlock.Inline.value(grant["scope"]),
                visit.link(UserActions.revokeConsent, grant["id"]?.stringValue ?? ""),
            ]
        }
        guard answer != nil || visit.calls.allows("list_user_refresh_tokens") else { return [] }
        let heading = DashboardBlock.heading(texts.applications)
        guard answer != nil else { return [heading] }
        return [
            heading,
            .table(
                columns: [.ours(texts.consent), .ours(texts.api), .ours(texts.scopes), changes], rows: rows,
                empty: [.text(.ours(texts.noApplications))]),
        ]
    }

    private static func tokens(
        _ visit: DashboardVisit, _ names: [String: String], take: Int
    ) async throws -> [DashboardBlock] {
        let found = try await listed(
            visit, "list_user_refresh_tokens", "refresh_tokens", part: "refresh-tokens", take: take)
        guard let (items, more) = found, !items.isEmpty else { return [] }
        let rows = items.map { token -> [[DashboardBlock.Inline]] in
            let server = token["resource_servers"]?[0]
            let audience = server?["audience"]?.stringValue ?? ""
            return [
                [client(token["client_id"]?.stringValue ?? "", names, visit)],
                [visit.linked(.theirs(audience), .apis, audience)],
                DashboardBlock.Inline.value(server?["scopes"]),
                DashboardBlock.Inline.value(token["last_exchanged_at"] ?? .null),
                DashboardBlock.Inline.value(token["expires_at"]),
                visit.link(UserActions.revokeToken, token["id"]?.stringValue ?? ""),
            ]
        }
        let table = DashboardBlock.table(
            columns: [
                .ours(texts.refreshToken), .ours(texts.api), .ours(texts.scopes),
                .ours(localized.dashboard.users.factors.lastUse), .ours(texts.expires), changes,
            ], rows: rows, empty: [])
        return [table] + more + (visit.path.part == nil ? visit.links([UserActions.revokeTokens]) : [])
    }

    // MARK: roles and permissions

    private static func roles(_ visit: DashboardVisit) async throws -> [DashboardBlock] {
        let query = [("take", "100")]
        guard let answer = try await visit.ifAllowed("list_user_roles", [visit.path.object ?? ""], query: query) else {
            return []
        }
        let rows = (answer["roles"]?.arrayValue ?? []).map { role -> [[DashboardBlock.Inline]] in
            let id = role["id"]?.stringValue ?? ""
            return [
                [visit.linked(.theirs(role["name"]?.stringValue ?? id), .roles, id)]
                    + DashboardBlock.Inline.value(role["description"]),
                visit.link(UserActions.removeRole, id),
            ]
        }
        let choice = DashboardBlock.Link(
            .ours(UserActions.addRole.title), visit.url(.users, visit.path.object, "roles"))
        return [
            .heading(texts.roles),
            .table(
                columns: [.ours(texts.roles), changes], rows: rows, empty: [.text(.ours(texts.noRoles))]),
        ] + (visit.isAllowed(UserActions.addRole) && visit.calls.allows("list_roles") ? [.links([choice])] : [])
    }

    /// The roles that the user does not have.
    private static func chooseRole(_ visit: DashboardVisit) async throws -> [DashboardBlock] {
        let held = try await visit.answer("list_user_roles", [visit.path.object ?? ""], query: [("take", "100")])
        let ids = Set((held["roles"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue })
        var query = [("take", String(pageSize))]
        if let from = visit.given(DashboardVisit.from) { query.append(("from", from)) }
        let answer = try await visit.answer("list_roles", query: query)
        let rows = (answer["roles"]?.arrayValue ?? []).compactMap { role -> [[DashboardBlock.Inline]]? in
            guard let id = role["id"]?.stringValue, !ids.contains(id) else { return nil }
            return [
                [visit.linked(.theirs(role["name"]?.stringValue ?? id), .roles, id)]
                    + DashboardBlock.Inline.value(role["description"]),
                visit.link(UserActions.addRole, id),
            ]
        }
        return [
            .text(.ours(texts.chooseRole)),
            .table(
                columns: [.ours(texts.roles), changes], rows: rows,
                empty: [.text(.ours(texts.noOtherRoles))]),
        ] + visit.pager(answer["next"]?.stringValue)
    }

    private static func permissions(_ visit: DashboardVisit, take: Int) async throws -> [DashboardBlock] {
        let found = try await listed(visit, "list_user_permissions", "permissions", part: "permissions", take: take)
        guard let (items, more) = found else { return [] }
        let rows = items.map { permission -> [[DashboardBlock.Inline]] in
            let sources = permission["sources"]?.arrayValue ?? []
            let isDirect = sources.contains { $0["source_type"] == "DIRECT" }
            return [
                Permissions.name(of: permission), Permissions.api(of: permission, visit),
                sources.map { source($0, visit) },
                isDirect ? visit.link(UserActions.removePermission, Permissions.item(of: permission)) : [],
            ]
        }
        let heading: [DashboardBlock] = visit.path.part == nil ? [.heading(texts.permissions)] : []
        return heading + [
            .table(
                columns: [.ours(texts.permission), .ours(texts.api), .ours(texts.source), changes], rows: rows,
                empty: [.text(.ours(texts.noPermissions))])
        ] + more + (visit.path.part == nil ? visit.links([UserActions.addPermission]) : [])
    }

    private static func source(_ source: JSONValue, _ visit: DashboardVisit) -> DashboardBlock.Inline {
        guard source["source_type"] == "ROLE", let id = source["source_id"]?.stringValue else {
            return .words(.ours(texts.direct))
        }
        return visit.linked(.theirs(source["source_name"]?.stringValue ?? id), .roles, id)
    }
}
