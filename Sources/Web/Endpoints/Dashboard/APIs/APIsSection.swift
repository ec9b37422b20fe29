import HTTPModel
import JSONSchema
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// APIs: their scopes, their types of details, and how a card of each type looks.
enum APIsSection {
    static var content: DashboardSections.Content {
        var all = section.allActions
        all += [editScopes, editTypes]
        return DashboardSections.Content(
            operation: section.list, list: section.showList,
            object: { try await section.showObject($0.path.object ?? "", $0) }, actions: all,
            parts: [previewPart: preview])
    }

    private static var texts: Localized<Texts.Dashboard.Clients> { localized.dashboard.clients }
    private static let previewPart = "preview"
    private static let (sample, get) = ("sample", "get_resource_server")

    private static let section: ResourceSection = {
        var section = DashboardSections.apis
        section.more = more
        return section
    }()

    private static let editScopes = DashboardAction(
        part: "scopes", title: texts.editScopes, operation: "update_resource_server", current: get,
        members: ["scopes"])
    private static let editTypes = DashboardAction(
        part: "types", title: texts.editTypes, lead: texts.typesLead, operation: "update_resource_server", current: get,
        members: ["authorization_details"])

    @Sendable private static func more(_ api: JSONObject, _ visit: DashboardVisit) -> [DashboardBlock] {
        let frame = localized.dashboard.frame
        let scopes = (api["scopes"]?.arrayValue ?? []).map { scope -> [[DashboardBlock.Inline]] in
            [
                [.code(scope["value"]?.stringValue ?? "")],
                scope["description"]?.stringValue.map { [.words(.theirs($0))] } ?? [],
            ]
        }
        let types = (api["authorization_details"]?.arrayValue ?? []).map { type -> [[DashboardBlock.Inline]] in
            let name = type["type"]?.stringValue ?? ""
            return [
                [.code(name)],
                [.link(.ours(texts.preview), visit.url(.apis, visit.path.object, "\(previewPart):\(name)"))],
            ]
        }
        return [
            visit.offered([editScopes, editTypes]),
            .table(
                columns: [.theirs("scopes"), .theirs("description")], rows: scopes,
                empty: [.text(.ours(texts.noScopes))]),
            .heading(texts.types),
            .table(
                columns: [.ours(frame.name), .ours(texts.preview)], rows: types, empty: [.text(.ours(texts.noTypes))]),
        ]
    }

    // MARK: the card

    /// The card of a sample that was typed, or of one that the schema suggests, in every language.
    @Sendable private static func preview(_ visit: DashboardVisit) async throws -> Response {
        let api = try await visit.answer(get, [visit.path.object ?? ""])
        let name = visit.item
        let type = api["authorization_details"]?.arrayValue?.first { $0["type"]?.stringValue == name }
        guard let type else { throw ManagementRefusal(404, name) }
        let schema = type["schema"]
        let typed = visit.given(sample)
        let detail =
            typed.map { ((try? JSONReader.parse($0)) ?? nil)?.objectValue }
            ?? SchemaSample.detail(of: schema ?? [:], type: name)
        let text = typed ?? detail.map { JSONWriter.lines(.object($0)).joined(separator: "\n") } ?? ""
        var problem: LocalizedText?
        if detail == nil { problem = typed == nil ? texts.noSample : texts.badSample }
        let field = DashboardField(
            sample, .ours(texts.sample), .area(lines: 12), FieldInput(text, problem: problem))
        return visit.show(
            texts.preview, lead: .ours(texts.sampleLead),
            [.search(DashboardSearch(visit.url(visit.path), field))] + (detail.map { cards($0, schema) } ?? []))
    }

    private static func cards(_ detail: JSONObject, _ schema: JSONValue?) -> [DashboardBlock] {
        let presentation = SchemaPresentation.nodes([(detail, schema)])
        return [
            .columns(
                Language.allCases.map { language in
                    let name = language.name
                    return [
                        .heading(LocalizedText { _ in name }),
                        .request(
                            RequestRecordShown(
                                message: "", scopes: [], details: [detail], presentation: presentation,
                                language: language)),
                    ]
                })
        ]
    }
}
