import AuthorizationCore
import Flows
import HTTPModel
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Signing keys: which one signs, which one is next, and which ones still verify.
enum KeySection {
    private static var texts: Localized<Texts.Dashboard.Operation> { localized.dashboard.operation }

    static let content = DashboardSections.Content(
        operation: "list_signing_keys", list: list,
        object: { visit in
            let key = try await visit.answer("get_signing_key", [visit.path.object ?? ""]).objectValue ?? [:]
            return visit.show(
                DashboardSections.title(of: .keys), name: visit.path.object,
                [visit.offered([revoke]), .facts(ResourceSection.facts(key))])
        },
        actions: [rotate, revoke])

    private static let rotate = DashboardAction(
        part: "rotate", title: texts.rotate, lead: texts.rotateLead, operation: "rotate_signing_keys",
        state: { $0.request.context.configuration.keys.document }, values: { _ in [] }, outcome: .list,
        isFinal: true)
    private static let revoke = DashboardAction(
        part: "revoke", title: texts.revoke, lead: texts.revokeLead, operation: "revoke_signing_key",
        outcome: .list, isFinal: true)

    @Sendable private static func list(_ visit: DashboardVisit) async throws -> Response {
        let keys = try await visit.answer("list_signing_keys").arrayValue ?? []
        let rows = keys.map { key -> [[DashboardBlock.Inline]] in
            let id = key["kid"]?.stringValue ?? ""
            return [
                [.link(.theirs(id), visit.url(.keys, id)), .id(id)], state(of: key),
                DashboardBlock.Inline.value(key["current_since"]), DashboardBlock.Inline.value(key["current_until"]),
            ]
        }
        let links: [DashboardBlock] =
            visit.calls.allows(rotate.operation)
            ? [
                .links([
                    DashboardBlock.Link(.ours(rotate.title), visit.url(.keys, SingletonSection.object, rotate.part))
                ])
            ]
            : []
        return visit.show(
            DashboardSections.title(of: .keys),
            visit.doneNotice + links + [
                .table(
                    columns: [
                        .ours(localized.dashboard.frame.id), .ours(texts.state), .ours(texts.since), .ours(texts.until),
                    ],
                    rows: rows, empty: [])
            ])
    }

    private static func state(of key: JSONValue) -> [DashboardBlock.Inline] {
        if key["revoked"] == true { return [.state(.ours(texts.revoked), .bad)] }
        if key["current"] == true { return [.state(.ours(texts.signs), .good)] }
        if key["next"] == true { return [.state(.ours(texts.signsNext), .waiting)] }
        return [.state(.ours(texts.verifies), .quiet)]
    }
}
