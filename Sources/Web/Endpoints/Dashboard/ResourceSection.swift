import HTTPModel
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// A section whose objects the Management API lists, shows and changes by five operations alike.
struct ResourceSection: Sendable {
    let section: DashboardPath.Section
    /// Member that wraps the list of ``list``.
    let collection: String
    let list: String
    let get: String
    var create: String?
    var update: String?
    var delete: String?
    /// Member with the object's id.
    var id = "id"
    /// Member with the name for people.
    var name = "name"
    /// Further members in the list.
    var columns: [String] = []
    /// Explains an empty list.
    let empty: LocalizedText
    let new: LocalizedText?
    /// More blocks on the page of an object.
    var more: @Sendable (JSONObject, DashboardVisit) async throws -> [DashboardBlock] = { _, _ in [] }
    /// More actions of an object.
    var actions: [DashboardAction] = []
    /// Members in the form of a new object. Nil are all.
    var newMembers: [String]?
    var created: DashboardAction.Outcome?

    private static let pageSize = 50

    var allActions: [DashboardAction] {
        var all = actions
        let texts = localized.dashboard.frame
        if let create, let new {
            all.append(
                DashboardAction(
                    part: "new", title: new, operation: create, members: { _ in newMembers }, values: { _ in [] },
                    outcome: created ?? .created(id)))
        }
        if let update {
            all.append(DashboardAction(part: "edit", title: texts.change, operation: update, current: get))
        }
        if let delete {
            all.append(
                DashboardAction(
                    part: "delete", title: texts.delete, operation: delete, current: get, outcome: .list,
                    isFinal: true))
        }
        return all
    }

    // MARK: the list

    func showList(_ visit: DashboardVisit) async throws -> Response {
        var query = [("take", String(Self.pageSize))]
        if let from = visit.given(DashboardVisit.from) { query.append(("from", from)) }
        let answer = try await visit.answer(list, query: query)
        let rows = (answer[collection] ?? answer).arrayValue ?? []
        let links = create.flatMap { operation -> [DashboardBlock.Link]? in
            guard visit.calls.allows(operation), let new else { return nil }
            return [DashboardBlock.Link(.ours(new), visit.url(section, DashboardPath.new), isPrimary: true)]
        }
        let texts = localized.dashboard.frame
        let table = DashboardBlock.table(
            columns: [.ours(texts.name), .ours(texts.id)] + columns.map(Words.theirs),
            rows: rows.map { row($0, visit) }, empty: [.text(.ours(empty))])
        return visit.show(
            DashboardSections.title(of: section),
            visit.doneNotice + (links.map { [.links($0)] } ?? []) + [table] + visit.pager(answer["next"]?.stringValue))
    }

    private func row(_ object: JSONValue, _ visit: DashboardVisit) -> [[DashboardBlock.Inline]] {
        let id = object[self.id]?.stringValue ?? ""
        let name = object[self.name]?.stringValue ?? id
        return [[.link(.theirs(name), visit.url(section, id))], [.id(id)]]
            + columns.map { DashboardBlock.Inline.value(object[$0]) }
    }

    // MARK: an object

    func showObject(_ id: String, _ visit: DashboardVisit) async throws -> Response {
        let object = try await visit.answer(get, [id]).objectValue ?? [:]
        let texts = localized.dashboard.frame
        return visit.show(
            DashboardSections.title(of: section), name: object[name]?.stringValue ?? id,
            visit.doneNotice + [
                visit.offered(allActions.filter { !$0.part.hasPrefix("new") && $0.current != nil || $0.isFinal })
            ]
                + (try await more(object, visit))
                + [.disclosure(texts.allMembers, [.facts(Self.facts(object))], isOpen: true)])
    }

    static func facts(_ object: JSONObject) -> [DashboardBlock.Fact] {
        object.map { name, value in DashboardBlock.Fact(.theirs(name), DashboardBlock.Inline.value(value)) }
    }
}

extension DashboardVisit {
    static let from = "from"

    /// Links to the next page of a list, and to the first from a later one. They keep these parameters of the address.
    func pager(_ next: String?, keeping names: [String] = [DashboardVisit.query]) -> [DashboardBlock] {
        let kept = names.compactMap { name in given(name).map { (name: name, value: $0) } }
        var links: [DashboardBlock.Link] = []
        if given(Self.from) != nil {
            links.append(DashboardBlock.Link(.ours(localized.dashboard.frame.first), url(path, kept)))
        }
        if let next {
            links.append(
                DashboardBlock.Link(
                    .ours(localized.dashboard.frame.next), url(path, kept + [(name: Self.from, value: next)])))
        }
        return links.isEmpty ? [] : [.links(links)]
    }

    /// Links to those of the actions that the person's scopes allow.
    func offered(_ actions: [DashboardAction], item: String? = nil) -> DashboardBlock {
        .links(
            actions.filter { calls.allows($0.operation) }.compactMap { action in
                guard let section = path.section else { return nil }
                let part = item.map { "\(action.part):\($0)" } ?? action.part
                return DashboardBlock.Link(.ours(action.title), url(section, path.object, part))
            })
    }
}

extension DashboardBlock.Inline {
    /// A value of the API's answer.
    static func value(_ value: JSONValue?) -> [DashboardBlock.Inline] {
        switch value {
        case nil, .null: []
        case .string(let text): Timestamp(iso8601: text).map { [.time($0)] } ?? [.words(.theirs(text))]
        case .bool(let flag): [.code(flag ? "true" : "false")]
        case .number(let number): [.code(number.literal)]
        case .array(let list) where list.allSatisfy({ $0.stringValue != nil }):
            list.compactMap(\.stringValue).map { .code($0) }
        case .some(let value): [.code(JSONWriter.string(value))]
        }
    }
}
