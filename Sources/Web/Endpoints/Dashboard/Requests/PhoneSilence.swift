import AuthorizationCore
import Flows
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// Tells of each way to the person what was tried for a request, what the service answered, and what to do.
struct PhoneSilence {
    private let visit: DashboardVisit
    private let id: String
    private let request: JSONObject

    init(_ visit: DashboardVisit, _ id: String, _ request: JSONObject) {
        self.visit = visit
        self.id = id
        self.request = request
    }

    private var texts: Localized<Texts.Dashboard.Requests> { localized.dashboard.requests }
    private var isPending: Bool { request["state"] == "pending" }

    private struct Phone {
        let id: String
        let name: String
        let isLost: Bool
    }

    var blocks: [DashboardBlock] {
        get async throws {
            let listed = try await visit.ifAllowed(
                "list_deliveries", query: [("transaction_linking_id", id), ("take", "100")])
            guard let listed else {
                let scopes = visit.calls.needs("list_deliveries").map { $0.joined(separator: " + ") }
                return [
                    .heading(texts.whyQuiet), .text(.ours(texts.mayNotSee)),
                    .text(.theirs(scopes.joined(separator: ", "))),
                ]
            }
            let deliveries = listed["deliveries"]?.arrayValue ?? []
            let phones = try await self.phones()
            let rows = deliveries.map { row($0, phones ?? []) } + missing(deliveries, phones)
            let columns = [texts.channel, texts.phone, texts.happened, texts.answer, texts.advice]
            let over: [DashboardBlock] = isPending ? [] : [.text(.ours(texts.noLonger))]
            return [.heading(texts.whyQuiet)] + over + [
                .table(columns: columns.map { .ours($0) }, rows: rows, empty: [.text(.ours(texts.noDeliveries))])
            ]
        }
    }

    /// Nil if the person's scopes do not show them, and for a user who is gone.
    private func phones() async throws -> [Phone]? {
        guard let user = request["user_id"]?.stringValue, visit.calls.allows("list_user_enrollments") else {
            return nil
        }
        let found: JSONValue
        do {
            found = try await visit.answer("list_user_enrollments", [user])
        } catch let refusal as ManagementRefusal where refusal.status == 404 {
            return nil
        }
        return found.arrayValue?.map { phone in
            Phone(
                id: phone["id"]?.stringValue ?? "", name: phone["name"]?.stringValue ?? "",
                isLost: phone["key_lost_at"] != nil)
        }
    }

    // MARK: tries

    private func row(_ delivery: JSONValue, _ phones: [Phone]) -> [[DashboardBlock.Inline]] {
        let device = delivery["device_id"]?.stringValue
        let queue = delivery["queue"]?.stringValue.flatMap(DeliveryQueue.init(rawValue:))
        let state = delivery["state"]?.stringValue.flatMap(DeliveryRecord.State.init(rawValue:))
        let name = device.map { id in phones.first { $0.id == id }?.name ?? id }
        var happened = [DeliveriesSection.badge(state)]
        if let attempts = delivery["attempts"]?.intValue, attempts > 0 {
            happened += [.words(.ours(texts.attempts)), .code(String(attempts))]
        }
        if let next = delivery["next_attempt_at"]?.stringValue.flatMap({ Timestamp(iso8601: $0) }) {
            happened += [.words(.ours(texts.nextTry)), .time(next)]
        }
        return [
            [DeliveriesSection.channel(queue)], name.map { [.words(.theirs($0))] } ?? [], happened,
            delivery["last_error"]?.stringValue.map { [.words(.theirs($0))] } ?? [],
            [.words(.ours(advice(state, queue, hasFailed: delivery["last_error"] != nil)))],
        ]
    }

    private func advice(
        _ state: DeliveryRecord.State?, _ queue: DeliveryQueue?, hasFailed: Bool
    ) -> LocalizedText {
        switch state {
        case .waiting where queue == .notifications: texts.adviceClosed
        case .waiting: hasFailed ? texts.adviceAgain : texts.adviceWaiting
        case .sent, nil: texts.adviceSent
        case .failed: texts.adviceFailed
        case .undeliverable: queue == .mail ? texts.adviceGoneMail : texts.adviceGone
        case .skipped: texts.adviceSkipped
        }
    }

    // MARK: phones without a try

    private func missing(_ deliveries: [JSONValue], _ phones: [Phone]?) -> [[[DashboardBlock.Inline]]] {
        if request["channel"] == "page" {
            return [line(.code("page"), nil, texts.pageOnly, texts.advicePage)]
        }
        guard request["channel"] == "guardian-push", let phones else { return [] }
        if phones.isEmpty {
            return [line(DeliveriesSection.channel(.notifications), nil, texts.noPhone, texts.adviceNoPhone)]
        }
        return phones.compactMap { phone in
            let name = DashboardBlock.Inline.words(.theirs(phone.name))
            if phone.isLost {
                return line(DeliveriesSection.channel(.notifications), name, texts.keyLost, texts.adviceKeyLost)
            }
            let isPushed = deliveries.contains {
                $0["device_id"]?.stringValue == phone.id && $0["queue"]?.stringValue != "notifications"
            }
            // The pushes of a request that is over may be gone.
            guard isPending, !isPushed else { return nil }
            return line(DeliveriesSection.channel(.notifications), name, texts.noPush, texts.adviceNoPush)
        }
    }

    private func line(
        _ channel: DashboardBlock.Inline, _ phone: DashboardBlock.Inline?, _ happened: LocalizedText,
        _ advice: LocalizedText
    ) -> [[DashboardBlock.Inline]] {
        [[channel], phone.map { [$0] } ?? [], [.words(.ours(happened))], [], [.words(.ours(advice))]]
    }
}
