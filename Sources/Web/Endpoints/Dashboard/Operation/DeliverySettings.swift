import AuthorizationCore
import HTTPModel
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Push services and the mail provider.
enum DeliverySettings {
    private static var texts: Localized<Texts.Dashboard.Operation> { localized.dashboard.operation }
    private static let services = ["apns", "fcmv1", "sns"]

    // MARK: push services

    static let push = DashboardSections.Content(
        operation: "get_push_provider_selection",
        list: { visit in
            let chosen = try await visit.answer("get_push_provider_selection")["provider"]?.stringValue ?? ""
            var rows: [[[DashboardBlock.Inline]]] = []
            for service in services {
                let settings = try await visit.answer("get_\(service)_provider")
                let isSet = settings["enabled"] == true
                rows.append([
                    [.link(.theirs(service), visit.url(.push, service))],
                    [.state(.ours(isSet ? texts.isSet : texts.isUnset), isSet ? .good : .quiet)],
                ])
            }
            let choose = choosing
            return visit.show(
                DashboardSections.title(of: .push), lead: .ours(texts.pushLead),
                visit.doneNotice + [
                    .facts([DashboardBlock.Fact(.ours(texts.provider), [.code(chosen)])]),
                    .links(
                        visit.calls.allows(choose.operation)
                            ? [
                                DashboardBlock.Link(
                                    .ours(choose.title), visit.url(.push, SingletonSection.object, choose.part))
                            ] : []),
                    .table(
                        columns: [.ours(texts.service), .ours(texts.state)], rows: rows, empty: []),
                ] + HealthSection.links(to: [HealthSection.ring], visit))
        },
        object: { visit in
            let service = visit.path.object ?? ""
            guard services.contains(service) else { throw ManagementRefusal(404, service) }
            let settings = try await visit.answer("get_\(service)_provider").objectValue ?? [:]
            return visit.show(
                DashboardSections.title(of: .push), name: service,
                visit.doneNotice + [
                    .links(
                        visit.calls.allows("update_\(service)_provider")
                            ? [
                                DashboardBlock.Link(
                                    .ours(localized.dashboard.frame.change),
                                    visit.url(.push, service, "edit-\(service)"))
                            ] : []),
                    .facts(ResourceSection.facts(settings)),
                ])
        },
        actions: [choosing]
            + services.map { service in
                DashboardAction(
                    part: "edit-\(service)", title: localized.dashboard.frame.change, lead: texts.secretsStay,
                    operation: "update_\(service)_provider", current: "get_\(service)_provider", values: { _ in [] })
            })

    private static let choosing = DashboardAction(
        part: "choose", title: texts.chooseProvider, operation: "select_push_provider",
        current: "get_push_provider_selection", values: { _ in [] }, outcome: .list)

    // MARK: mail

    static let mail = DashboardSections.Content(
        operation: "get_email_provider",
        list: { visit in
            let settings = try await visit.answerIfPresent("get_email_provider")
            let actions = settings == nil ? [newProvider] : [changeProvider, removeProvider]
            let links = actions.filter { visit.calls.allows($0.operation) }.map { action in
                DashboardBlock.Link(.ours(action.title), visit.url(.mail, SingletonSection.object, action.part))
            }
            return visit.show(
                DashboardSections.title(of: .mail), lead: .ours(texts.mailLead),
                visit.doneNotice + [.links(links)] + [
                    settings?.objectValue.map { .facts(ResourceSection.facts($0)) } ?? .text(.ours(texts.noMail))
                ] + HealthSection.links(to: [HealthSection.mail], visit))
        },
        actions: [newProvider, changeProvider, removeProvider])

    private static let newProvider = DashboardAction(
        part: "create", title: texts.setMail, operation: "create_email_provider", values: { _ in [] }, outcome: .list)
    private static let changeProvider = DashboardAction(
        part: "edit", title: localized.dashboard.frame.change, lead: texts.secretsStay,
        operation: "update_email_provider", current: "get_email_provider", values: { _ in [] }, outcome: .list)
    private static let removeProvider = DashboardAction(
        part: "delete", title: localized.dashboard.frame.delete, operation: "delete_email_provider",
        values: { _ in [] }, outcome: .list, isFinal: true)
}

extension DashboardVisit {
    /// Nil if there is no such object.
    func answerIfPresent(_ operation: String, _ values: [String] = []) async throws -> JSONValue? {
        do {
            return try await answer(operation, values)
        } catch let refusal as ManagementRefusal where refusal.status == 404 {
            return nil
        }
    }
}
