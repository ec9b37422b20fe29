import Localization
import Primitives

/// Labels, order and formats that an API's schema declares for one value of the details: a node of the record's
/// `presentation`. An unknown member or format changes nothing.
struct DetailPresentation {
    private let node: JSONObject

    init(_ node: JSONObject = [:]) { self.node = node }

    private init(_ value: JSONValue?) { self.init(value?.objectValue ?? [:]) }

    /// The value's label. Nil means that the schema has none.
    var label: LocalizedText? { text("label", in: "labels") }

    var description: LocalizedText? { text("description", in: "descriptions") }

    var items: DetailPresentation { DetailPresentation(node["items"]) }

    subscript(member: String) -> DetailPresentation { DetailPresentation(node["members"]?[member]) }

    /// The members in the declared order, and then those without a place in it.
    func ordered(_ object: JSONObject) -> [(name: String, value: JSONValue)] {
        let order = node["order"]?.stringsValue ?? []
        let placed = order.compactMap { name in object[name].map { (name: name, value: $0) } }
        return placed + object.members.filter { !order.contains($0.name) }
    }

    private func text(_ member: String, in translations: String) -> LocalizedText? {
        guard let text = node[member]?.stringValue, !text.isEmpty else { return nil }
        let translated = node[translations]
        return LocalizedText { translated?[$0.rawValue]?.stringValue ?? text }
    }

    // MARK: formats

    /// The value in its format. Nil shows it as it is.
    /// - Parameter siblings: The object that has the value.
    func formatted(_ value: JSONValue, beside siblings: JSONObject) -> String? {
        switch node["format"]?.stringValue {
        case "money": Self.money(value, siblings)
        case "date-time": value.stringValue.flatMap(Self.moment)
        case "account": value.stringValue.flatMap(Self.account)
        default: nil
        }
    }

    /// An object with amount and currency, or an amount beside a currency. The amount keeps its spelling.
    private static func money(_ value: JSONValue, _ siblings: JSONObject) -> String? {
        if let object = value.objectValue {
            guard object.count == 2, let amount = (object["amount"] ?? object["value"]).flatMap(spelt),
                let currency = object["currency"]?.stringValue
            else { return nil }
            return "\(amount)\u{A0}\(currency)"
        }
        guard let amount = spelt(value), let currency = siblings["currency"]?.stringValue else { return nil }
        return "\(amount)\u{A0}\(currency)"
    }

    private static func spelt(_ value: JSONValue) -> String? {
        if case .number(let number) = value { number.literal } else { value.stringValue }
    }

    /// RFC 3339 without its letters. Only for UTC, whose name is the same in every language.
    private static func moment(_ text: String) -> String? {
        guard text.utf8.count == 20, Timestamp(iso8601: text) != nil, text.last == "Z" else { return nil }
        return String(text.dropLast()).replacing("T", with: "\u{A0}") + "\u{A0}UTC"
    }

    /// An IBAN (ISO 13616) in groups of four.
    private static func account(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        guard (15...34).contains(bytes.count), bytes.prefix(2).allSatisfy(isLetter),
            bytes[2..<4].allSatisfy(isDigit), bytes.allSatisfy({ isLetter($0) || isDigit($0) })
        else { return nil }
        return stride(from: 0, to: bytes.count, by: 4).map { start in
            String(decoding: bytes[start..<min(start + 4, bytes.count)], as: UTF8.self)
        }.joined(separator: "\u{A0}")
    }
}
