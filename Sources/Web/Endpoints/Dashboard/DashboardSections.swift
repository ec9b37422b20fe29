import HTTPModel
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Parts of the dashboard: its sections in groups, their pages, and the changes that they offer.
enum DashboardSections {
    typealias View = @Sendable (DashboardVisit) async throws -> Response

    static let groups: [(title: LocalizedText, sections: [DashboardPath.Section])] = [
        (texts.userManagement, [.users, .roles]),
        (texts.approvals, [.requests, .deliveries]),
        (texts.applications, [.clients, .apis, .grants, .connections]),
        (texts.delivery, [.push, .mail, .templates]),
        (texts.look, [.branding, .domains]),
        (texts.operation, [.settings, .keys, .log, .statistics, .health, .configuration]),
    ]

    private static var texts: Localized<Texts.Dashboard.Sections> { localized.dashboard.sections }

    static func title(of section: DashboardPath.Section) -> LocalizedText {
        switch section {
        case .users: texts.users
        case .requests: texts.requests
        case .clients: texts.clients
        case .apis: texts.apis
        case .grants: texts.grants
        case .connections: texts.connections
        case .roles: texts.roles
        case .keys: texts.keys
        case .push: texts.push
        case .mail: texts.mail
        case .templates: texts.templates
        case .branding: texts.branding
        case .domains: texts.domains
        case .settings: texts.settings
        case .log: texts.log
        case .deliveries: texts.deliveries
        case .statistics: texts.statistics
        case .configuration: texts.configuration
        case .health: texts.health
        case .confirmation: localized.dashboard.frame.prove
        }
    }

    /// True if the person's scopes allow the operation that the section's list needs.
    static func isShown(_ section: DashboardPath.Section, _ calls: PersonalManagement) -> Bool {
        content(of: section).map { calls.allows($0.operation) } ?? false
    }

    /// Pages of a section.
    struct Content: Sendable {
        /// Operation without which there is nothing to see.
        let operation: String
        let list: View
        /// Nil for a section without objects.
        var object: View?
        var actions: [DashboardAction] = []
        /// Pages of parts of an object, by their names.
        var parts: [String: View] = [:]
    }

    /// Nil for the page that only confirms a proof.
    static func content(of section: DashboardPath.Section) -> Content? {
        switch section {
        case .users: users
        case .roles: resource(roles)
        case .requests: RequestsSection.content
        case .deliveries: DeliveriesSection.content
        case .clients: ClientsSection.content
        case .apis: resource(apis, parts: APIsSection.parts)
        case .grants: resource(grants)
        case .connections: resource(connections)
        case .domains: resource(domains)
        case .settings: settings.content
        case .branding: branding.content
        case .keys: KeySection.content
        case .log: LogSection.content
        case .statistics: StatisticsSection.content
        case .configuration: ConfigurationSection.content
        case .health: HealthSection.content
        case .push: DeliverySettings.push
        case .mail: DeliverySettings.mail
        case .templates: TemplateSection.content
        default: nil
        }
    }

    private static var users: Content {
        Content(
            operation: "list_users", list: UserList.show, object: UserPage.show, actions: UserActions.all,
            parts: UserAccess.parts.merging([UserTimeline.part: UserTimeline.show]) { $1 })
    }

    private static func resource(_ section: ResourceSection, parts: [String: View] = [:]) -> Content {
        Content(
            operation: section.list, list: section.showList,
            object: { try await section.showObject($0.path.object ?? "", $0) }, actions: section.allActions,
            parts: parts)
    }

    /// Nil if the page only shows something.
    static func action(at path: DashboardPath) -> DashboardAction? {
        let name = path.actionName
        guard !name.isEmpty, let section = path.section else { return nil }
        return content(of: section)?.actions.first { $0.part == name }
    }

    static func view(at path: DashboardPath, _ visit: DashboardVisit) async throws -> Response {
        guard let section = path.section else { return start(visit) }
        if section == .confirmation {
            return visit.show(title(of: section), [.notice(.ours(localized.dashboard.frame.proven))])
        }
        guard let content = content(of: section) else { return start(visit) }
        guard visit.calls.allows(content.operation) else {
            throw ManagementRefusal(needing: visit.calls.needs(content.operation))
        }
        guard path.object != nil else { return try await content.list(visit) }
        if let part = path.part {
            guard let view = content.parts[String(path.actionName)] else { throw absent(part) }
            return try await view(visit)
        }
        guard let view = content.object else { return try await content.list(visit) }
        return try await view(visit)
    }

    private static func absent(_ part: String) -> ManagementRefusal {
        ManagementRefusal(404, part)
    }

    private static func start(_ visit: DashboardVisit) -> Response {
        visit.show(localized.dashboard.frame.title, lead: .ours(localized.dashboard.frame.welcome), [])
    }

    /// Place of a section's objects in the file of `countersign apply`, and the member that names one. Nil for objects
    /// that are not in the file. A nil `key` is the only object of its kind. `operations` change the object itself.
    static func filePlace(of path: DashboardPath) -> (member: String, key: String?, operations: Set<String>)? {
        switch path.section {
        case .users: ("users", "id", ["create_user", "update_user"])
        case .roles: ("roles", "id", ["create_role", "update_role"])
        case .clients: ("clients", "id", ["create_client", "update_client"])
        case .apis: ("apis", "identifier", ["create_resource_server", "update_resource_server"])
        case .connections: ("connections", "name", ["create_connection", "update_connection"])
        case .settings: ("settings", nil, ["update_tenant_settings"])
        case .branding: ("branding", nil, ["update_tenant_settings"])
        default: nil
        }
    }
}

// MARK: sections alike

extension DashboardSections {
    static let settings = SingletonSection(
        section: .settings, get: "get_tenant_settings", update: "update_tenant_settings", leftOut: ["branding"])
    static let branding = SingletonSection(
        section: .branding, get: "get_tenant_settings", update: "update_tenant_settings", members: ["branding"])
    static let roles = ResourceSection(
        section: .roles, collection: "roles", list: "list_roles", get: "get_role", create: "create_role",
        update: "update_role", delete: "delete_role", columns: ["description"], empty: texts.noRoles,
        new: texts.newRole, more: RolePages.blocks, actions: RolePages.actions)
    static let apis = ResourceSection(
        section: .apis, collection: "resource_servers", list: "list_resource_servers", get: "get_resource_server",
        create: "create_resource_server", update: "update_resource_server", delete: "delete_resource_server",
        columns: ["identifier"], empty: texts.noAPIs, new: texts.newAPI, more: APIsSection.blocks,
        actions: APIsSection.actions)
    static let grants = ResourceSection(
        section: .grants, collection: "client_grants", list: "list_client_grants", get: "get_client_grant",
        create: "create_client_grant", update: "update_client_grant", delete: "delete_client_grant",
        name: "client_id", columns: ["audience", "scope"], empty: texts.noGrants, new: texts.newGrant)
    static let connections = ResourceSection(
        section: .connections, collection: "connections", list: "list_connections", get: "get_connection",
        create: "create_connection", update: "update_connection", delete: "delete_connection",
        columns: ["strategy"], empty: texts.noConnections, new: texts.newConnection)
    static let domains = ResourceSection(
        section: .domains, collection: "custom_domains", list: "list_custom_domains", get: "get_custom_domain",
        create: "create_custom_domain", update: "update_custom_domain", delete: "delete_custom_domain",
        id: "custom_domain_id", name: "domain", columns: ["status"], empty: texts.noDomains, new: texts.newDomain,
        more: HealthSection.domain,
        actions: [
            DashboardAction(
                part: "verify", title: localized.dashboard.operation.verify, operation: "verify_custom_domain")
        ])
}
