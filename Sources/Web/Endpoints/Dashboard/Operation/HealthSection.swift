import AuthorizationCore
import HTTPModel
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// The tenant's dependencies outside the store, examined while the page is made, and trials of one's own phones and mail.
enum HealthSection {
    private static var texts: Localized<Texts.Dashboard.Operation> { localized.dashboard.operation }

    static let content = DashboardSections.Content(
        operation: "get_health",
        list: { visit in
            let findings = try await visit.answer("get_health").arrayValue ?? []
            return visit.show(
                DashboardSections.title(of: .health), lead: .ours(texts.healthLead),
                links(to: [ring, mail], visit) + [table(findings, empty: texts.noFindings)])
        }, actions: [ring, mail])

    static let ring = DashboardAction(
        part: "ring", title: texts.ringPhones, lead: texts.ringLead, operation: "ring_own_phones",
        values: { _ in [] }, outcome: .shown({ answer, _ in [table(answer.arrayValue ?? [], empty: texts.noPhones)] }),
        isGuarded: false)
    static let mail = DashboardAction(
        part: "mail", title: texts.sendMail, lead: texts.sendMailLead, operation: "mail_oneself", values: { _ in [] },
        outcome: .shown({ answer, _ in [table(answer.arrayValue ?? [], empty: texts.noFindings)] }), isGuarded: false)

    /// Ways to trials, also from other sections.
    static func links(to actions: [DashboardAction], _ visit: DashboardVisit) -> [DashboardBlock] {
        let links = actions.filter(visit.isAllowed).map { action in
            DashboardBlock.Link(.ours(action.title), visit.url(.health, SingletonSection.object, action.part))
        }
        return links.isEmpty ? [] : [.links(links)]
    }

    /// The record that a custom domain needs, and what the DNS has now.
    @Sendable static func domain(_ domain: JSONObject, _ visit: DashboardVisit) async throws -> [DashboardBlock] {
        let host = visit.request.tenant.hosts.first ?? ""
        let needed = DashboardBlock.facts([DashboardBlock.Fact(.ours(texts.domainLead), [.id(host)])])
        let name = domain["domain"]?.stringValue ?? ""
        guard let health = try await visit.ifAllowed("get_health", query: [("name", name)]) else { return [needed] }
        return [needed, .heading(texts.addresses), table(health.arrayValue ?? [], empty: texts.noFindings)]
    }

    private static func table(_ findings: [JSONValue], empty: LocalizedText) -> DashboardBlock {
        .table(
            columns: [texts.check, texts.state, texts.finding, texts.advice].map { .ours($0) },
            rows: findings.map { finding in
                [
                    [
                        .code(finding["check"]?.stringValue ?? ""),
                        .words(.theirs(finding["subject"]?.stringValue ?? "")),
                    ],
                    [state(finding["state"]?.stringValue)],
                    DashboardBlock.Inline.value(finding["finding"]), DashboardBlock.Inline.value(finding["advice"]),
                ]
            }, empty: [.text(.ours(empty))])
    }

    private static func state(_ name: String?) -> DashboardBlock.Inline {
        switch name {
        case "ok": .state(.ours(texts.inOrder), .good)
        case "warning": .state(.ours(texts.warning), .waiting)
        default: .state(.ours(texts.fault), .bad)
        }
    }
}
