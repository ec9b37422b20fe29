import Flows
import HTTPModel
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Deliveries that failed, with their reasons, and another try.
enum DeliveriesSection {
    static let content = DashboardSections.Content(
        operation: "list_deliveries", list: list, object: object, actions: [retry])

    private static var texts: Localized<Texts.Dashboard.Requests> { localized.dashboard.requests }

    private static let retry = DashboardAction(
        part: "retry", title: texts.retry, lead: texts.retryLead, operation: "retry_delivery", isGuarded: false)

    @Sendable private static func list(_ visit: DashboardVisit) async throws -> Response {
        var query = [("take", "50")]
        if let from = visit.given(DashboardVisit.from) { query.append(("from", from)) }
        let answer = try await visit.answer("list_deliveries", query: query)
        let rows = answer["deliveries"]?.arrayValue ?? []
        let people = try await PersonNames(rows.compactMap { $0["user_id"]?.stringValue }, visit)
        let columns = [texts.delivery, texts.state, texts.why, texts.person, texts.request, texts.ended]
        return visit.show(
            DashboardSections.title(of: .deliveries),
            visit.doneNotice + [
                .table(
                    columns: columns.map { .ours($0) }, rows: rows.map { row($0, people, visit) },
                    empty: [.text(.ours(texts.deliveriesNone))])
            ] + visit.pager(answer["next"]?.stringValue))
    }

    private static func row(
        _ delivery: JSONValue, _ people: PersonNames, _ visit: DashboardVisit
    ) -> [[DashboardBlock.Inline]] {
        let id = delivery["id"]?.stringValue ?? ""
        let queue = delivery["queue"]?.stringValue.flatMap(DeliveryQueue.init(rawValue:))
        return [
            [.link(name(queue), visit.url(.deliveries, id))], [state(delivery)],
            delivery["last_error"]?.stringValue.map { [.words(.theirs($0))] } ?? [],
            people.link(delivery["user_id"], visit), link(delivery["transaction_linking_id"], .requests, visit),
            DashboardBlock.Inline.value(delivery["ended_at"] ?? delivery["next_attempt_at"]),
        ]
    }

    @Sendable private static func object(_ visit: DashboardVisit) async throws -> Response {
        let id = visit.path.object ?? ""
        let delivery = try await visit.answer("get_delivery", [id])
        let people = try await PersonNames([delivery["user_id"]].compactMap { $0?.stringValue }, visit)
        // Its names and its text stay with the request.
        var request: JSONValue?
        if let id = delivery["transaction_linking_id"]?.stringValue, visit.calls.allows("get_approval") {
            request = try await visit.answerIfPresent("get_approval", [id])
        }
        func fact(_ label: LocalizedText, _ values: [DashboardBlock.Inline]) -> DashboardBlock.Fact? {
            values.isEmpty ? nil : DashboardBlock.Fact(.ours(label), values)
        }
        let queue = delivery["queue"]?.stringValue.flatMap(DeliveryQueue.init(rawValue:))
        let facts = [
            fact(localized.dashboard.frame.id, [.id(id)]), fact(texts.channel, [channel(queue)]),
            fact(texts.state, [state(delivery)]),
            fact(texts.why, delivery["last_error"]?.stringValue.map { [.words(.theirs($0))] } ?? []),
            fact(texts.attempts, DashboardBlock.Inline.value(delivery["attempts"])),
            fact(texts.person, people.link(delivery["user_id"], visit)),
            fact(texts.client, link(delivery["client_id"], .clients, visit, named: request?["client_name"])),
            fact(
                texts.request,
                link(delivery["transaction_linking_id"], .requests, visit, named: request?["binding_message"])),
            fact(texts.device, delivery["device_id"]?.stringValue.map { [.id($0)] } ?? []),
            fact(texts.begun, DashboardBlock.Inline.value(delivery["created_at"])),
            fact(texts.ended, DashboardBlock.Inline.value(delivery["ended_at"])),
            fact(texts.expires, DashboardBlock.Inline.value(delivery["expires_at"])),
        ]
        let hasFailed = ["failed", "undeliverable", "skipped"].contains(delivery["state"]?.stringValue)
        return visit.show(
            texts.delivery,
            visit.doneNotice + (hasFailed ? visit.links([retry]) : []) + [.facts(facts.compactMap(\.self))])
    }

    private static func link(
        _ id: JSONValue?, _ section: DashboardPath.Section, _ visit: DashboardVisit, named name: JSONValue? = nil
    ) -> [DashboardBlock.Inline] {
        id?.stringValue.map { id in
            let name = name?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
            return [visit.linked(.theirs(name ?? id), section, id)]
        } ?? []
    }

    // MARK: words

    private static func state(_ delivery: JSONValue) -> DashboardBlock.Inline {
        badge(delivery["state"]?.stringValue.flatMap(DeliveryRecord.State.init(rawValue:)))
    }

    static func badge(_ state: DeliveryRecord.State?) -> DashboardBlock.Inline {
        switch state {
        case .waiting, nil: .state(.ours(texts.waiting), .waiting)
        case .sent: .state(.ours(texts.sent), .good)
        case .failed: .state(.ours(texts.failed), .bad)
        case .undeliverable: .state(.ours(texts.unreachable), .bad)
        case .skipped: .state(.ours(texts.skipped), .quiet)
        }
    }

    static func channel(_ queue: DeliveryQueue?) -> DashboardBlock.Inline { .words(name(queue)) }

    /// Services have the API's names in every language.
    private static func name(_ queue: DeliveryQueue?) -> Words {
        switch queue {
        case .notifications, nil: .ours(texts.deviceChannel)
        case .mail: .ours(texts.mail)
        case .logoutNotices: .ours(texts.logoutNotice)
        case .some(let push): .theirs(push.rawValue)
        }
    }
}
