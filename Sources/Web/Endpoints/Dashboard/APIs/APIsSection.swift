import AuthorizationCore
import Flows
import HTTPModel
import JSONSchema
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives
import Routing

/// APIs: their scopes, their types of details, and how a card of each type looks.
enum APIsSection {
    static let parts: [String: DashboardSections.View] = [previewPart: preview]

    private static var texts: Localized<Texts.Dashboard.Clients> { localized.dashboard.clients }
    private static let previewPart = "preview"
    private static let sample = "sample"
    /// Types with a card on the page before a change.
    private static let previewLimit = 5
    private static let get = "get_resource_server"

    static var actions: [DashboardAction] { [editScopes, editTypes] }

    private static let editScopes = DashboardAction(
        part: "scopes", title: texts.editScopes, operation: "update_resource_server", current: get,
        members: { _ in ["scopes"] })
    private static let editTypes = DashboardAction(
        part: "types", title: texts.editTypes, lead: texts.typesLead, operation: "update_resource_server", current: get,
        members: { _ in ["authorization_details"] }, preview: samples)

    @Sendable static func blocks(_ api: JSONObject, _ visit: DashboardVisit) async throws -> [DashboardBlock] {
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
        let answer = try await visit.answer(get, [visit.path.object ?? ""])
        let configuration = visit.request.call.configuration
        guard let api = answer["identifier"]?.stringValue.flatMap({ configuration.resourceServers[$0] }),
            let type = api.authorizationDetailsTypes.first(where: { $0.type == visit.item })
        else { throw ManagementRefusal(404, visit.item) }
        let typed = visit.given(sample)
        let detail =
            typed.map { ((try? JSONReader.parse($0)) ?? nil)?.objectValue }
            ?? SchemaSample.detail(of: type.schemaSource ?? [:], type: type.type)
        let text = typed ?? detail.map { JSONWriter.lines(.object($0)).joined(separator: "\n") } ?? ""
        var problem: LocalizedText?
        if let detail {
            let refusal = RequestedAccess.problem(of: detail, at: api, in: configuration)
            problem = refusal.map { text in LocalizedText { _ in text } }
        } else {
            problem = typed == nil ? texts.noSample : texts.badSample
        }
        let field = DashboardField(
            sample, .ours(texts.sample), .area(lines: 12), FieldInput(text, problem: problem))
        return visit.show(
            texts.preview, name: type.type, lead: .ours(texts.sampleLead),
            [.search(DashboardSearch(visit.url(visit.path), field, button: texts.preview))]
                + (detail.map { cards($0, api, visit) } ?? []))
    }

    /// Cards of the types as a change would leave them.
    @Sendable private static func samples(
        _ body: JSONObject, _ current: JSONObject, _ visit: DashboardVisit
    ) -> [DashboardBlock] {
        let apis = visit.request.call.configuration.resourceServers
        guard var api = current["identifier"]?.stringValue.flatMap({ apis[$0] }) else { return [] }
        api.authorizationDetailsTypes = (body["authorization_details"]?.arrayValue ?? []).compactMap { type in
            type["type"]?.stringValue.map {
                ResourceServer.AuthorizationDetailsType(type: $0, schemaSource: type["schema"])
            }
        }
        let blocks = api.authorizationDetailsTypes.prefix(previewLimit).map { type -> [DashboardBlock] in
            guard let detail = SchemaSample.detail(of: type.schemaSource ?? [:], type: type.type) else { return [] }
            let name = type.type.showingUnseen
            return [.disclosure(LocalizedText { _ in name }, cards(detail, api, visit))]
        }
        return blocks.isEmpty ? [] : [.heading(texts.preview)] + blocks.joined()
    }

    private static func cards(
        _ detail: JSONObject, _ api: ResourceServer, _ visit: DashboardVisit
    ) -> [DashboardBlock] {
        let schema = api.authorizationDetailsTypes.first { $0.type == detail["type"]?.stringValue }?.schemaSource
        let presentation = SchemaPresentation.nodes([(detail, schema)])
        let configuration = visit.request.call.configuration
        let mails = MailPreview(tenant: configuration.tenant, mail: configuration.mail)
        return [
            .columns(
                Language.allCases.map { language in
                    let name = language.name
                    return [
                        .heading(LocalizedText { _ in name }), .text(.ours(texts.onPage)),
                        .request(
                            RequestRecordShown(
                                message: "", scopes: [], details: [detail], presentation: presentation,
                                language: language)),
                        .code(
                            mails.approval(detail, of: api, in: language, now: visit.request.now).withoutIsolates,
                            label: texts.inMail),
                    ]
                })
        ]
    }
}
