import APIDescription
import JSONSchema
import Primitives

/// Requested part of a list.
enum Paging: Sendable, Equatable {
    /// `page` counts from 0.
    case offset(page: Int, perPage: Int, includesTotals: Bool)
    /// Nil `from` means the first page.
    case checkpoint(from: String?, take: Int)

    static let limit = 100
    static let preset = 50

    static let parameters: [Operation.Parameter] =
        [
            Operation.Parameter("page", in: .query, .integer(0...1_000_000), "Page number, from 0"),
            Operation.Parameter("per_page", in: .query, .integer(0...limit), "Page size; default: \(preset)"),
            Operation.Parameter("include_totals", in: .query, .boolean, "Wrap the list in an object with the total"),
        ] + checkpointParameters

    static let checkpointParameters: [Operation.Parameter] = [
        Operation.Parameter(
            "from", in: .query, .text(1...1024, pattern: "^[A-Za-z0-9_-]+$"), "`next` of the previous answer"),
        Operation.Parameter("take", in: .query, .integer(1...limit), "Page size with `from`"),
    ]

    /// Number of elements before a page.
    static func skipped(_ page: Int, _ perPage: Int) -> Int {
        let (count, overflows) = page.multipliedReportingOverflow(by: perPage)
        return overflows ? .max : count
    }
}

/// The requested part of a list.
struct Listing: Sendable {
    /// Member name of the list if it is wrapped in an object: `roles`.
    let collection: String
    let items: [JSONObject]
    let paging: Paging
    /// Number of elements on all pages. Used with offsets only.
    var total: Int?
    /// Checkpoint of the next page. Nil means the last page. Used with checkpoints only.
    var next: String?

    init(_ collection: String, _ items: [JSONObject], _ paging: Paging, total: Int? = nil, next: String? = nil) {
        self.collection = collection
        self.items = items
        self.paging = paging
        self.total = total
        self.next = next
    }

    /// Cuts a page from a complete list. `key` is a stable key of an element: checkpoints contain one.
    init<Element>(
        _ collection: String, of all: [Element], _ paging: Paging, key: (Element) -> String,
        _ describe: (Element) throws -> JSONObject
    ) rethrows {
        switch paging {
        case .offset(let page, let perPage, _):
            let part = all.dropFirst(Paging.skipped(page, perPage)).prefix(perPage)
            self.init(collection, try part.map(describe), paging, total: all.count)
        case .checkpoint(let from, let take):
            let sorted = all.sorted { key($0) < key($1) }
            let after = from.flatMap(Checkpoint.read)
            let rest = after.map { after in sorted.drop { key($0) <= after } } ?? sorted[...]
            let part = rest.prefix(take)
            self.init(
                collection, try part.map(describe), paging,
                next: part.count < rest.count ? part.last.map { Checkpoint.write(key($0)) } : nil)
        }
    }

    /// Answer body, with `show` applied to each item.
    func json(_ show: (JSONObject) -> JSONObject) -> JSONValue {
        let list = JSONValue.array(items.map { .object(show($0)) })
        switch paging {
        case .offset(_, _, false): return list
        case .offset(let page, let perPage, true):
            return [
                "start": .number(JSONNumber(Paging.skipped(page, perPage))),
                "limit": .number(JSONNumber(perPage)), "length": .number(JSONNumber(items.count)),
                "total": .number(JSONNumber(total ?? items.count)), collection: list,
            ]
        case .checkpoint:
            var body: JSONObject = [collection: list]
            body["next"] = next.map(JSONValue.string)
            return .object(body)
        }
    }

    /// Shape of the answer in the document.
    static func shape(_ collection: String, of element: Shape) -> Shape {
        .either([
            .list(element),
            .object([
                Member(collection, .list(element)), Member("start", .integer()), Member("limit", .integer()),
                Member("length", .integer()), Member("total", .integer()), Member("next", .text()),
            ]),
        ])
    }
}

/// End of a page as opaque text.
package enum Checkpoint {
    package static func write(_ key: String) -> String { Base64URL.encode(Array(key.utf8)) }

    static func read(_ text: String) -> String? {
        Base64URL.decode(text).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
