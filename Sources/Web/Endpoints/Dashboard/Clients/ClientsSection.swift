import AuthorizationCore
import Flows
import HTTPModel
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Clients: forms for each purpose, and the page of one with everything that belongs to it.
enum ClientsSection {
    static let content = DashboardSections.Content(
        operation: "list_clients", list: list, object: object, actions: purposes + changes + credentials + grants)

    static var texts: Localized<Texts.Dashboard.Clients> { localized.dashboard.clients }

    // MARK: new clients

    private struct Purpose {
        let part: String
        let title: LocalizedText
        let lead: LocalizedText
        let members: [String]
        let fixed: JSONObject
    }

    private static let addresses = ["callbacks", "allowed_logout_urls"]
    private static let codeGrants: JSONValue = ["authorization_code", "refresh_token"]

    private static let kinds = [
        Purpose(
            part: "agent", title: texts.newAgent, lead: texts.agentLead,
            members: ["async_approval_notification_channels"],
            fixed: [
                "app_type": "regular_web", "is_first_party": true, "grant_types": [.string(GrantType.ciba.rawValue)],
            ]),
        Purpose(
            part: "web", title: texts.newWeb, lead: texts.webLead, members: addresses,
            fixed: ["app_type": "regular_web", "grant_types": codeGrants]),
        Purpose(
            part: "native", title: texts.newNative, lead: texts.nativeLead, members: addresses,
            fixed: ["app_type": "native", "token_endpoint_auth_method": "none", "grant_types": codeGrants]),
        Purpose(
            part: "machine", title: texts.newMachine, lead: texts.machineLead, members: [],
            fixed: ["app_type": "non_interactive", "grant_types": ["client_credentials"]]),
    ]

    private static let purposes =
        kinds.map { kind in
            DashboardAction(
                part: kind.part, title: kind.title, lead: kind.lead, operation: "create_client",
                members: { _ in ["name", "description"] + kind.members }, values: { _ in [] },
                fixed: { _ in kind.fixed },
                outcome: .shown(secret))
        } + [
            DashboardAction(
                part: "new", title: localized.dashboard.sections.newClient, operation: "create_client",
                values: { _ in [] }, outcome: .shown(secret))
        ]

    /// The only page that has the secret: the store keeps its hash.
    @Sendable private static func secret(_ client: JSONValue, _ visit: DashboardVisit) -> [DashboardBlock] {
        let id = client["client_id"]?.stringValue ?? ""
        var blocks: [DashboardBlock] = [.facts([DashboardBlock.Fact(.ours(texts.clientID), [.id(id)])])]
        if let secret = client["client_secret"]?.stringValue {
            blocks += [.warning(.ours(texts.secretOnce)), .code(secret, label: texts.secret)]
        } else {
            blocks.append(.text(.ours(texts.noSecret)))
        }
        blocks.append(.links([DashboardBlock.Link(.ours(texts.open), visit.url(.clients, id), isPrimary: true)]))
        return blocks
    }

    // MARK: the list

    @Sendable private static func list(_ visit: DashboardVisit) async throws -> Response {
        var query = [("take", "50")]
        if let from = visit.given(DashboardVisit.from) { query.append(("from", from)) }
        let answer = try await visit.answer("list_clients", query: query)
        let rows = answer["clients"]?.arrayValue ?? []
        let links = purposes.filter(visit.isAllowed).map { purpose in
            DashboardBlock.Link(
                .ours(purpose.title),
                visit.url(.clients, DashboardPath.new, purpose.part == DashboardPath.new ? nil : purpose.part))
        }
        let frame = localized.dashboard.frame
        return visit.show(
            DashboardSections.title(of: .clients),
            visit.doneNotice + [
                .links(links),
                .table(
                    columns: [frame.name, texts.clientID, texts.type, texts.grantTypes].map { .ours($0) },
                    rows: rows.map { row($0, visit) }, empty: [.text(.ours(texts.none))]),
            ] + visit.pager(answer["next"]?.stringValue))
    }

    private static func row(_ client: JSONValue, _ visit: DashboardVisit) -> [[DashboardBlock.Inline]] {
        let id = client["client_id"]?.stringValue ?? ""
        return [
            [.link(.theirs(client["name"]?.stringValue ?? id), visit.url(.clients, id))], [.id(id)],
            client["app_type"]?.stringValue.map { [.code($0)] } ?? [],
            client["grant_types"]?.stringsValue?.map { .code($0) } ?? [],
        ]
    }

    // MARK: a client

    /// Changes with the client's secrets. Empty for an unknown client.
    @Sendable private static func secretVersion(_ visit: DashboardVisit) async throws -> JSONValue {
        let client = visit.request.context.configuration.client(ClientID(visit.path.object ?? ""))
        return .string(Base64URL.encode((client?.secretHashes ?? []).flatMap(\.self)))
    }

    private static let changes = [
        DashboardAction(
            part: "edit", title: localized.dashboard.frame.change, operation: "update_client", current: "get_client"),
        DashboardAction(
            part: "channels", title: texts.channels, operation: "update_client", current: "get_client",
            members: { _ in ["async_approval_notification_channels", "allow_long_push", "matching", "is_first_party"] }),
        DashboardAction(
            part: "try", title: texts.tryIt, lead: texts.tryLead, operation: "create_approval",
            members: { _ in ["binding_message", "scope", "audience", "authorization_details"] }, values: { _ in [] },
            fixed: { ["client_id": .string($0.path.object ?? "")] }, outcome: .shown(started), isGuarded: false),
        DashboardAction(
            part: "rotate", title: texts.rotate, lead: texts.rotateLead, operation: "rotate_client_secret",
            state: secretVersion, outcome: .shown(secret), isFinal: true),
        DashboardAction(
            part: "delete", title: localized.dashboard.frame.delete, operation: "delete_client", current: "get_client",
            outcome: .list, isFinal: true),
    ]

    private static let credentials = [
        DashboardAction(part: "new-key", title: texts.newKey, operation: "create_client_credential"),
        DashboardAction(
            part: "remove-key", title: texts.removeKey, operation: "delete_client_credential",
            values: { [$0.path.object ?? "", $0.item] }, isFinal: true),
    ]

    private static let grants = [
        DashboardAction(
            part: "new-grant", title: texts.newAccess, operation: "create_client_grant",
            members: { _ in ["audience", "scope", "subject_type", "authorization_details_types"] }, values: { _ in [] },
            fixed: { ["client_id": .string($0.path.object ?? "")] }),
        DashboardAction(
            part: "edit-grant", title: localized.dashboard.frame.change, operation: "update_client_grant",
            current: "get_client_grant", members: { _ in ["scope", "authorization_details_types"] },
            values: { [$0.item] }),
        DashboardAction(
            part: "remove-grant", title: localized.dashboard.frame.delete, operation: "delete_client_grant",
            values: { [$0.item] }, isFinal: true),
    ]

    @Sendable private static func object(_ visit: DashboardVisit) async throws -> Response {
        let id = visit.path.object ?? ""
        let client = try await visit.answer("get_client", [id]).objectValue ?? [:]
        let isAgent = client["grant_types"]?.stringsValue?.contains(GrantType.ciba.rawValue) ?? false
        var offered = changes
        if !isAgent { offered.removeAll { $0.part == "try" || $0.part == "channels" } }
        if client["token_endpoint_auth_method"] == "none" { offered.removeAll { $0.part == "rotate" } }
        let frame = localized.dashboard.frame
        var blocks =
            visit.doneNotice + [.facts([DashboardBlock.Fact(.ours(texts.clientID), [.id(id)])])] + visit.links(offered)
        if isAgent { blocks.append(ClientPrograms(id, visit).block) }
        blocks += try await access(id, visit) + keys(id, visit) + connections(id, visit)
        blocks.append(.disclosure(frame.allMembers, [.facts(ResourceSection.facts(client))]))
        return visit.show(
            DashboardSections.title(of: .clients), name: client["name"]?.stringValue ?? id, blocks)
    }

    private static func access(_ id: String, _ visit: DashboardVisit) async throws -> [DashboardBlock] {
        let answer = try await visit.ifAllowed("list_client_grants", query: [("client_id", id), ("take", "100")])
        guard let answer else { return [] }
        let rows = (answer["client_grants"]?.arrayValue ?? []).map { grant -> [[DashboardBlock.Inline]] in
            let key = grant["id"]?.stringValue ?? ""
            return [
                [visit.linked(.theirs(grant["audience"]?.stringValue ?? ""), .grants, key)],
                grant["scope"]?.stringsValue?.map { .code($0) } ?? [],
                grants.dropFirst().flatMap { visit.link($0, key) },
            ]
        }
        return [
            .heading(texts.access),
            .table(
                columns: [
                    .ours(localized.dashboard.sections.apis), .theirs("scope"), .ours(localized.dashboard.frame.change),
                ],
                rows: rows, empty: [.text(.ours(texts.noAccess))]),
        ] + visit.links(Array(grants.prefix(1)))
    }

    private static func keys(_ id: String, _ visit: DashboardVisit) async throws -> [DashboardBlock] {
        guard let answer = try await visit.ifAllowed("list_client_credentials", [id]) else { return [] }
        let rows = (answer.arrayValue ?? []).map { key -> [[DashboardBlock.Inline]] in
            let id = key["id"]?.stringValue ?? ""
            return [
                [.words(.theirs(key["name"]?.stringValue ?? "")), .id(id)],
                key["credential_type"]?.stringValue.map { [.code($0)] } ?? [],
                DashboardBlock.Inline.value(key["created_at"]),
                credentials.dropFirst().flatMap { visit.link($0, id) },
            ]
        }
        let frame = localized.dashboard.frame
        return [
            .heading(texts.keys),
            .table(
                columns: [frame.name, texts.type, texts.created, frame.change].map { .ours($0) }, rows: rows,
                empty: [.text(.ours(texts.noKeys))]),
        ] + visit.links(Array(credentials.prefix(1)))
    }

    private static func connections(_ id: String, _ visit: DashboardVisit) async throws -> [DashboardBlock] {
        guard let answer = try await visit.ifAllowed("list_client_connections", [id]) else { return [] }
        let rows = (answer["connections"]?.arrayValue ?? []).map { connection -> [[DashboardBlock.Inline]] in
            let id = connection["id"]?.stringValue ?? ""
            return [
                [visit.linked(.theirs(connection["name"]?.stringValue ?? id), .connections, id)],
                connection["strategy"]?.stringValue.map { [.code($0)] } ?? [],
            ]
        }
        return [
            .heading(texts.connections),
            .table(
                columns: [.ours(localized.dashboard.frame.name), .ours(texts.type)], rows: rows,
                empty: [.text(.ours(texts.noConnections))]),
        ]
    }

    /// The page that follows a trial.
    @Sendable private static func started(_ answer: JSONValue, _ visit: DashboardVisit) -> [DashboardBlock] {
        let id = answer["id"]?.stringValue ?? ""
        let page = HostedPath.approval(of: id, below: visit.request.tenant.issuer)
        var links: [DashboardBlock.Link] = []
        if visit.calls.allows("get_approval") {
            links.append(DashboardBlock.Link(.ours(texts.follow), visit.url(.requests, id), isPrimary: true))
        }
        if let page = PageURL(page) { links.append(DashboardBlock.Link(.ours(texts.approve), page)) }
        return [
            .text(.ours(texts.tried)), .facts([DashboardBlock.Fact(.ours(localized.dashboard.frame.id), [.id(id)])]),
            .links(links),
        ]
    }
}
