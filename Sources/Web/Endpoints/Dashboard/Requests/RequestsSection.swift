import ApprovalWire
import AuthorizationCore
import Flows
import HTTPModel
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Requests to people: the list, which follows the server, and the page of one.
enum RequestsSection {
    static let content = DashboardSections.Content(operation: "list_approvals", list: list, object: object)

    private static let user = "user"
    private static let state = "state"
    private static let pageSize = 50

    private static var texts: Localized<Texts.Dashboard.Requests> { localized.dashboard.requests }

    // MARK: the list

    @Sendable private static func list(_ visit: DashboardVisit) async throws -> Response {
        let (user, state) = (visit.given(Self.user), visit.given(Self.state))
        var query = [("take", String(pageSize))]
        for (name, value) in [("user_id", user), ("state", state), ("from", visit.given(DashboardVisit.from))] {
            if let value { query.append((name, value)) }
        }
        let answer = try await visit.answer("list_approvals", query: query)
        let rows = answer["approvals"]?.arrayValue ?? []
        let people = try await PersonNames(rows.compactMap { $0["user_id"]?.stringValue }, visit)
        let empty = user == nil && state == nil ? texts.none : texts.noMatch
        let table = DashboardBlock.table(
            columns: [texts.request, texts.client, texts.person, texts.state, texts.begun].map { .ours($0) },
            rows: rows.map { row($0, people, visit) }, empty: [.text(.ours(empty))])
        let search = DashboardSearch(
            visit.url(.requests), DashboardField(Self.user, .ours(texts.byUser), .search, FieldInput(user ?? "")))
        let reload = DashboardBlock.links([DashboardBlock.Link(.ours(texts.reload), address(of: visit))])
        let live: DashboardBlock = .live(RequestEvents.url(nil), [table])
        return visit.show(
            DashboardSections.title(of: .requests),
            [.search(search), states(visit, state), live, reload]
                + visit.pager(answer["next"]?.stringValue, keeping: [Self.user, Self.state]))
    }

    /// Address of the same part of the list.
    private static func address(of visit: DashboardVisit) -> PageURL {
        visit.url(
            visit.path,
            [user, state, DashboardVisit.from].compactMap { name in visit.given(name).map { (name: name, value: $0) } })
    }

    private static func row(
        _ request: JSONValue, _ people: PersonNames, _ visit: DashboardVisit
    ) -> [[DashboardBlock.Inline]] {
        func text(_ name: String) -> String { request[name]?.stringValue ?? "" }
        let title = text("application").isEmpty ? Words.theirs(text("binding_message")) : .ours(texts.login)
        return [
            [.link(title, visit.url(.requests, text("id")))],
            [visit.linked(.theirs(text("client_name")), .clients, text("client_id"))],
            people.link(request["user_id"], visit), [badge(text("state"))],
            DashboardBlock.Inline.value(request["created_at"]),
        ]
    }

    /// Links that narrow the list to one state.
    private static func states(_ visit: DashboardVisit, _ chosen: String?) -> DashboardBlock {
        let kept = visit.given(user).map { [(name: user, value: $0)] } ?? []
        let all = DashboardBlock.Link(.ours(texts.all), visit.url(.requests, nil, nil, kept), isPrimary: chosen == nil)
        return .links(
            [all]
                + ShownRequest.State.allCases.map { state in
                    DashboardBlock.Link(
                        .ours(words(state)),
                        visit.url(.requests, nil, nil, kept + [(name: Self.state, value: state.rawValue)]),
                        isPrimary: state.rawValue == chosen)
                })
    }

    // MARK: a request

    @Sendable private static func object(_ visit: DashboardVisit) async throws -> Response {
        let id = visit.path.object ?? ""
        let request = try await visit.answer("get_approval", [id]).objectValue ?? [:]
        let record = try? RequestRecord(parsing: request["record"]?.stringValue ?? "")
        let state = request["state"]?.stringValue ?? ""
        let card: [DashboardBlock] = record.map { [.heading(texts.shown), .request(shown($0))] + login($0) } ?? []
        let people = try await PersonNames([request["user_id"]].compactMap { $0?.stringValue }, visit)
        let place: [DashboardBlock] = [.heading(texts.whereItIs), .facts(facts(request, people, visit))]
        let whyQuiet = try await PhoneSilence(visit, id, request).blocks
        let blocks: [DashboardBlock] = [.columns([card, place])] + whyQuiet + receipt(request)
        let title = record.map { $0.display.login == nil ? $0.bindingMessage : "" } ?? id
        return visit.show(
            texts.request, name: title.isEmpty ? nil : title,
            [
                .live(
                    RequestEvents.url(id), [.facts([DashboardBlock.Fact(.ours(texts.state), [badge(state)])])] + blocks),
                .links([DashboardBlock.Link(.ours(texts.reload), visit.url(visit.path))]),
            ])
    }

    static func shown(_ record: RequestRecord) -> RequestRecordShown {
        RequestRecordShown(
            message: record.bindingMessage,
            scopes: record.scope.map { ShownScope($0.value, description: $0.description) },
            details: record.authorizationDetails, presentation: record.display.presentation)
    }

    /// The facts of a login, in the reader's language.
    private static func login(_ record: RequestRecord) -> [DashboardBlock] {
        guard let login = record.display.login else { return [] }
        return [
            .text(.shown(LocalizedText { LoginPresentation(login, in: $0).headline })),
            .text(
                .shown(
                    LocalizedText { language in
                        LoginPresentation(login, in: language).rows.map { "\($0.label): \($0.value)" }
                            .joined(separator: ", ")
                    })),
        ]
    }

    private static func facts(
        _ request: JSONObject, _ people: PersonNames, _ visit: DashboardVisit
    ) -> [DashboardBlock.Fact] {
        func text(_ name: String) -> String { request[name]?.stringValue ?? "" }
        func fact(_ label: LocalizedText, _ values: [DashboardBlock.Inline]) -> DashboardBlock.Fact? {
            values.isEmpty ? nil : DashboardBlock.Fact(.ours(label), values)
        }
        let decision = request["decision"]
        return [
            fact(localized.dashboard.frame.id, [.id(text("id"))]),
            fact(
                texts.client,
                [visit.linked(.theirs(text("client_name")), .clients, text("client_id")), .id(text("client_id"))]),
            fact(
                texts.person,
                people.link(request["user_id"], visit) + [.id(text("user_id"))]),
            DashboardBlock.Fact(
                .ours(localized.dashboard.users.access.api),
                [api(text("audience"), named: text("audience_name"), visit), .code(text("audience"))]),
            fact(texts.channel, request["channel"]?.stringValue.map { [.code($0)] } ?? []),
            fact(texts.begun, DashboardBlock.Inline.value(request["created_at"])),
            fact(texts.expires, DashboardBlock.Inline.value(request["expires_at"])),
            fact(texts.ended, DashboardBlock.Inline.value(request["ended_at"])),
            fact(
                texts.decidedWith,
                decision.map { decision in
                    decision["device_name"]?.stringValue.map { [.words(.theirs($0))] } ?? [.words(.ours(texts.browser))]
                } ?? []),
            fact(texts.reason, decision?["reason"]?.stringValue.map { [.words(.theirs($0))] } ?? []),
            fact(texts.digest, [.id(text("request_digest"))]),
        ].compactMap(\.self)
    }

    /// The tenant's own endpoint for profiles is in no list.
    private static func api(_ id: String, named name: String, _ visit: DashboardVisit) -> DashboardBlock.Inline {
        visit.request.tenant.isUserinfoAudience(id)
            ? .words(.theirs(name)) : visit.linked(.theirs(name), .apis, id)
    }

    // MARK: the receipt

    private static func receipt(_ request: JSONObject) -> [DashboardBlock] {
        guard let receipt = request["receipt"], let text = receipt["receipt"]?.stringValue else { return [] }
        let verdict: DashboardBlock =
            receipt["is_valid"]?.boolValue == true
            ? .facts([DashboardBlock.Fact(.ours(texts.state), [.state(.ours(texts.receiptValid), .good)])])
            : .facts([
                DashboardBlock.Fact(
                    .ours(texts.state),
                    [
                        .state(.ours(texts.receiptInvalid), .bad),
                        .words(.theirs(receipt["problem"]?.stringValue ?? "")),
                    ])
            ])
        var facts: [DashboardBlock.Fact] = []
        if let level = request["decision"]?["evidence"]?.stringValue.flatMap(ApprovalEvidence.Level.init(rawValue:)) {
            facts.append(DashboardBlock.Fact(.ours(texts.evidence), [.words(.ours(AccountEndpoints.level(level)))]))
        }
        if let entry = receipt["audit_entry"]?.stringValue {
            facts.append(DashboardBlock.Fact(.ours(texts.logEntry), [.id(entry)]))
        }
        return [
            .heading(texts.receipt), verdict, .facts(facts),
            .disclosure(texts.receiptText, [.code(text, label: texts.receipt)]),
        ]
    }

    // MARK: words

    static func words(_ state: ShownRequest.State) -> LocalizedText {
        switch state {
        case .pending: texts.pending
        case .allowed: texts.allowed
        case .rejected: texts.rejected
        case .reported: texts.reported
        case .wrongNumber: texts.wrongNumber
        case .redeemed: texts.redeemed
        case .expired: texts.expired
        case .cancelled: texts.cancelled
        case .undelivered: texts.undelivered
        case .superseded: texts.superseded
        }
    }

    static func badge(_ name: String) -> DashboardBlock.Inline {
        guard let state = ShownRequest.State(rawValue: name) else { return .code(name) }
        let tone: DashboardBlock.Tone =
            switch state {
            case .pending: .waiting
            case .allowed, .redeemed: .good
            case .rejected, .reported, .wrongNumber, .undelivered: .bad
            case .expired, .cancelled, .superseded: .quiet
            }
        return .state(.ours(words(state)), tone)
    }
}
