import AuthorizationCore
import Flows
import HTTPModel
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives
import Routing

/// Templates of mails, each with what it makes of sample values.
enum TemplateSection {
    private static var texts: Localized<Texts.Dashboard.Operation> { localized.dashboard.operation }

    static let content = DashboardSections.Content(
        operation: "get_email_template",
        list: { visit in
            var rows: [[[DashboardBlock.Inline]]] = []
            for kind in MailTemplate.Kind.allCases {
                let own = try await visit.answerIfPresent("get_email_template", [kind.rawValue])
                rows.append([
                    [.link(.theirs(kind.rawValue), visit.url(.templates, kind.rawValue))],
                    [
                        .state(
                            .ours(own == nil ? texts.ofServer : texts.ofTenant), own == nil ? .quiet : .good)
                    ],
                ])
            }
            return visit.show(
                DashboardSections.title(of: .templates), lead: .ours(texts.templatesLead),
                visit.doneNotice + [
                    .table(columns: [.ours(texts.template), .ours(texts.state)], rows: rows, empty: [])
                ])
        },
        object: { visit in
            guard let kind = MailTemplate.Kind(rawValue: visit.path.object ?? "") else {
                throw ManagementRefusal(404, visit.path.object ?? "")
            }
            let own = try await visit.answerIfPresent("get_email_template", [kind.rawValue])
            let action = own == nil ? creating : changing
            let (mail, problem) = preview(kind, visit)
            return visit.show(
                DashboardSections.title(of: .templates), name: kind.rawValue,
                visit.doneNotice + [
                    .links(
                        (visit.calls.allows(action.operation)
                            ? [
                                DashboardBlock.Link(
                                    .ours(action.title), visit.url(.templates, kind.rawValue, action.part))
                            ] : []) + [
                                DashboardBlock.Link(
                                    .ours(texts.openPreview), visit.url(.templates, kind.rawValue, Self.preview))
                            ]),
                    .facts([DashboardBlock.Fact(.ours(texts.subject), [.words(.theirs(mail.subject))])]),
                ] + (problem.map { [.warning(.theirs($0))] } ?? []) + [
                    .code(mail.text.withoutIsolates, label: texts.asText),
                    own?.objectValue.map { .facts(ResourceSection.facts($0)) } ?? .text(.ours(texts.noTemplate)),
                ])
        }, actions: [creating, changing],
        parts: [
            preview: { visit in
                guard let kind = MailTemplate.Kind(rawValue: visit.path.object ?? "") else {
                    throw ManagementRefusal(404, visit.path.object ?? "")
                }
                return sandboxed(preview(kind, visit).mail.html)
            }
        ])

    private static let preview = "preview"

    private static func preview(_ kind: MailTemplate.Kind, _ visit: DashboardVisit) -> (
        mail: FinishedMail, problem: String?
    ) {
        let configuration = visit.request.call.configuration
        let finished = MailPreview(tenant: configuration.tenant, mail: configuration.mail).finished(
            kind, now: visit.request.now)
        return (finished.finished, finished.problem)
    }

    /// A mail's HTML may hold anything, so it gets no script, no form and no origin.
    private static func sandboxed(_ html: String) -> Response {
        Response(
            status: 200,
            fields: [
                "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
                "Content-Security-Policy":
                    "sandbox; default-src 'none'; img-src https: data:; style-src 'unsafe-inline'; frame-ancestors 'none'",
                "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
            ], body: .bytes(Array(html.utf8)))
    }

    private static let creating = DashboardAction(
        part: "create", title: texts.ownTemplate, operation: "create_email_template",
        members: { _ in ["from", "subject", "body", "syntax", "enabled", "resultUrl", "urlLifetimeInSeconds"] },
        values: { _ in [] }, fixed: { ["template": .string($0.path.object ?? "")] })
    private static let changing = DashboardAction(
        part: "edit", title: localized.dashboard.frame.change, operation: "update_email_template",
        current: "get_email_template")
}

extension String {
    /// A mail's text without the marks around values of others, which a page would show as numbers.
    var withoutIsolates: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { !("\u{2066}"..."\u{2069}").contains($0) }))
    }
}
