import HTTPModel
import JSONSchema
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Members of one object that a tenant has once. Each has a form of its own, so that the page stays a list to read.
struct SingletonSection: Sendable {
    let section: DashboardPath.Section
    let get: String
    let update: String
    /// First part of the members' paths. Nil are all but those of `leftOut`.
    var members: [String]?
    var leftOut: Set<String> = []
    var more: @Sendable (DashboardVisit) async throws -> [DashboardBlock] = { _ in [] }

    /// In the place of an id.
    static let object = "tenant"
    private static let edit = "edit"

    var content: DashboardSections.Content {
        DashboardSections.Content(
            operation: get, list: show,
            actions: [
                DashboardAction(
                    part: Self.edit, title: localized.dashboard.frame.change, operation: update, current: get,
                    members: { [$0.item] }, values: { _ in [] }, outcome: .list)
            ])
    }

    private func isOwn(_ entry: SchemaForm.Entry) -> Bool {
        guard let first = entry.path.first else { return false }
        return members?.contains(first) ?? !leftOut.contains(first)
    }

    private func show(_ visit: DashboardVisit) async throws -> Response {
        let object = try await visit.answer(get).objectValue ?? [:]
        let form = SchemaForm(visit.calls.body(of: update), members: nil, withheld: [])
        let withheld = visit.calls.withheld(in: update)
        let mayChange = visit.calls.allows(update)
        let texts = localized.dashboard.frame
        let rows = form.entries.filter(isOwn).map { entry -> [[DashboardBlock.Inline]] in
            let member = entry.path.joined(separator: ".")
            let isWithheld = withheld.contains { entry.path.starts(with: $0) }
            let address = visit.url(section, Self.object, "\(Self.edit):\(member)")
            return [
                [.code(member)] + (entry.hint.map { [.words(.theirs($0))] } ?? []),
                DashboardBlock.Inline.value(SchemaForm.value(at: entry.path, in: object)),
                mayChange && !isWithheld ? [.link(.ours(texts.change), address)] : [],
            ]
        }
        return visit.show(
            DashboardSections.title(of: section),
            visit.doneNotice + (try await more(visit)) + [
                .table(columns: [.ours(texts.member), .ours(texts.value), .ours(texts.change)], rows: rows, empty: [])
            ])
    }
}
