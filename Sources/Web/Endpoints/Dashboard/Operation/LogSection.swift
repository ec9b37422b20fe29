import HTTPModel
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// The tenant's log, newest first, with search. Later pages go on behind the last entry, so that no page costs more than
/// the first.
enum LogSection {
    private static let size = 50
    private static let before = "before"
    private static var texts: Localized<Texts.Dashboard.Operation> { localized.dashboard.operation }

    static let content = DashboardSections.Content(
        operation: "list_logs", list: list,
        object: { visit in
            let entry = try await visit.answer("get_log", [visit.path.object ?? ""]).objectValue ?? [:]
            return visit.show(
                DashboardSections.title(of: .log), name: entry["description"]?.stringValue ?? visit.path.object,
                [.facts(ResourceSection.facts(entry))])
        })

    @Sendable private static func list(_ visit: DashboardVisit) async throws -> Response {
        let typed = visit.given(DashboardVisit.query)
        var query = [("per_page", String(size)), ("sort", "date:-1")]
        if let typed { query.append(("q", typed)) }
        if let before = visit.given(before) { query.append(("before", before)) }
        var entries: [JSONValue] = []
        var problem: LocalizedText?
        do {
            entries = try await visit.answer("list_logs", query: query).arrayValue ?? []
        } catch let refusal as ManagementRefusal where refusal.status == 400 {
            problem = LocalizedText { _ in refusal.message }
        }
        let search = DashboardBlock.search(
            DashboardSearch(
                visit.url(.log),
                DashboardField(
                    DashboardVisit.query, .ours(localized.dashboard.frame.search), .search,
                    FieldInput(typed ?? "", problem: problem), hint: .ours(texts.logHint))))
        let columns: [Words] = [.ours(texts.time), .ours(texts.event), .ours(texts.person), .ours(texts.client)]
        var blocks = [
            search,
            .table(columns: columns, rows: entries.map { row($0, visit) }, empty: [.text(.ours(texts.noEntries))]),
        ]
        if entries.count == size, let last = entries.last?["log_id"]?.stringValue {
            var query = [(name: before, value: last)]
            if let typed { query.append((name: DashboardVisit.query, value: typed)) }
            blocks.append(
                .links([
                    DashboardBlock.Link(.ours(localized.dashboard.frame.next), visit.url(DashboardPath(.log), query))
                ]))
        }
        return visit.show(DashboardSections.title(of: .log), blocks)
    }

    private static func row(_ entry: JSONValue, _ visit: DashboardVisit) -> [[DashboardBlock.Inline]] {
        let id = entry["log_id"]?.stringValue ?? ""
        let type = entry["type"]?.stringValue ?? ""
        func link(_ section: DashboardPath.Section, _ id: String, _ name: String) -> [DashboardBlock.Inline] {
            guard let id = entry[id]?.stringValue else { return [] }
            return [visit.linked(.theirs(entry[name]?.stringValue ?? id), section, id)]
        }
        return [
            DashboardBlock.Inline.value(entry["date"]),
            [.link(.theirs(entry["description"]?.stringValue ?? type), visit.url(.log, id)), .code(type)],
            link(.users, "user_id", "user_name"), link(.clients, "client_id", "client_name"),
        ]
    }
}

extension DashboardVisit {
    /// Parameter of a page's search.
    static let query = "q"
}
