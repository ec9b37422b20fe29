import ApprovalWire
import HTTPModel
import JSONSchema
import Localization
import ManagementAPI
import OAuthWire
import Pages
import Primitives

/// All that happened to a user's account, the newest first: entries of the log and deliveries.
enum UserTimeline {
    private static var texts: Localized<Texts.Dashboard.Users.Timeline> { localized.dashboard.users.timeline }
    /// Moments on the user's page, and on a page of the timeline.
    private static let (shown, pageSize) = (15, 50)

    static let part = "timeline"

    /// The newest moments, for the user's page.
    static func summary(_ visit: DashboardVisit) async throws -> [DashboardBlock] {
        guard let (moments, next) = try await page(visit, count: shown, from: Position()) else { return [] }
        let all = DashboardBlock.Link(.ours(texts.all), visit.url(.users, visit.path.object, part))
        return [.heading(texts.title)] + Self.moments(moments) + (next == nil ? [] : [.links([all])])
    }

    @Sendable static func show(_ visit: DashboardVisit) async throws -> Response {
        let from = visit.given(DashboardVisit.from).flatMap(Position.init) ?? Position()
        let (moments, next) = try await page(visit, count: pageSize, from: from) ?? ([], nil)
        let older = next.map {
            DashboardBlock.Link(
                .ours(texts.older), visit.url(visit.path, [(name: DashboardVisit.from, value: $0.text)]))
        }
        return visit.show(texts.title, Self.moments(moments) + (older.map { [.links([$0])] } ?? []))
    }

    private static func moments(_ moments: [DashboardBlock.Moment]) -> [DashboardBlock] {
        [moments.isEmpty ? .text(.ours(texts.none)) : .timeline(moments)]
    }

    // MARK: two lists as one

    /// Place in one of the lists.
    private enum Mark: Equatable {
        case start, end
        case after(String)

        var text: String {
            switch self {
            case .start: "new"
            case .end: "old"
            case .after(let id): id
            }
        }

        init(_ text: Substring) {
            self = text == "new" ? .start : text == "old" ? .end : .after(String(text))
        }
    }

    /// Place in the timeline, by keys of both lists.
    private struct Position: Equatable {
        var log = Mark.start
        var deliveries = Mark.start

        var text: String { "\(log.text)~\(deliveries.text)" }

        init() {}

        init?(_ text: String) {
            let parts = text.split(separator: "~")
            guard parts.count == 2 else { return nil }
            (log, deliveries) = (Mark(parts[0]), Mark(parts[1]))
        }
    }

    private struct Source {
        var items: ArraySlice<JSONValue> = []
        let isLast: Bool
        private var taken: String?
        private let mark: Mark
        private let key: String
        private let date: String

        init(_ items: [JSONValue], from mark: Mark, key: String, date: String, count: Int) {
            self.items = items[...]
            self.mark = mark
            self.key = key
            self.date = date
            isLast = items.count < count
        }

        var newest: Timestamp? {
            items.first.map { Timestamp(iso8601: $0[date]?.stringValue ?? "") ?? Timestamp(seconds: 0) }
        }

        mutating func take() -> JSONValue? {
            let item = items.popFirst()
            taken = item?[key]?.stringValue ?? taken
            return item
        }

        var next: Mark { items.isEmpty && isLast ? .end : taken.map { .after($0) } ?? mark }
    }

    /// Nil if the person's scopes do not allow the lists.
    private static func page(
        _ visit: DashboardVisit, count: Int, from: Position
    ) async throws -> (moments: [DashboardBlock.Moment], next: Position?)? {
        let user = visit.path.object ?? ""
        guard visit.calls.allows("list_user_logs") else { return nil }
        var entries: [JSONValue] = []
        if from.log != .end {
            var query = [("take", String(count))]
            if case .after(let id) = from.log { query.append(("from", id)) }
            entries = try await visit.answer("list_user_logs", [user], query: query)["logs"]?.arrayValue ?? []
        }
        var sent: [JSONValue] = []
        if from.deliveries != .end {
            var query = [("user_id", user), ("take", String(count))]
            if case .after(let id) = from.deliveries { query.append(("from", Checkpoint.write(id))) }
            let answer = try await visit.ifAllowed("list_deliveries", query: query)
            sent = answer?["deliveries"]?.arrayValue ?? []
        }
        var log = Source(entries, from: from.log, key: "log_id", date: "date", count: count)
        var deliveries = Source(sent, from: from.deliveries, key: "id", date: "created_at", count: count)
        let sentences = try await TimelineSentences(visit)
        var moments: [DashboardBlock.Moment] = []
        while moments.count < count {
            guard let isDelivery = isDelivery(log.newest, deliveries.newest) else { break }
            if isDelivery {
                if let delivery = deliveries.take() { moments.append(sentences.moment(ofDelivery: delivery)) }
            } else if let entry = log.take() {
                moments.append(sentences.moment(ofEntry: entry))
            }
        }
        var next = Position()
        (next.log, next.deliveries) = (log.next, deliveries.next)
        return (moments, next.log == .end && next.deliveries == .end ? nil : next)
    }

    /// True if the next moment is a delivery. Nil if there is none.
    private static func isDelivery(_ entry: Timestamp?, _ delivery: Timestamp?) -> Bool? {
        switch (entry, delivery) {
        case (nil, nil): nil
        case (nil, _?): true
        case (_?, nil): false
        case (let entry?, let delivery?): delivery > entry
        }
    }
}
