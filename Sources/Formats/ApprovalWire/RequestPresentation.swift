package import Primitives

/// A request's authorization details as a person reads them: every member, by the labels, the order and the formats
/// that the API declares for it (`presentation` of the record).
///
/// Phones and pages walk the same tree, so a request looks the same everywhere.
package struct RequestPresentation: Sendable, Equatable {
    /// One authorization detail (RFC 9396 clause 2).
    package struct Detail: Sendable, Hashable {
        /// The member `type`. Nil if it is not a string: it is then among `members`.
        package let type: String?
        /// The declared label in the reader's language.
        package let label: String?
        package let description: String?
        /// All other members.
        package let members: [PresentedValue]

        /// The label, or the type. A type that could be taken for the label of another detail is in quotation marks.
        package let heading: String?
        /// Values that count most: the members that the API names, else an amount with its payee. They are among `members`
        /// too. Nil if nothing counts more than the rest.
        package let headline: Headline?
        /// True if a value of the detail, however deep, is an amount of money, or stands where one is and cannot be read.
        package let hasMoney: Bool
        /// True if the headline has all money of the detail. Also true without money.
        package let isWhole: Bool
        /// True if several requests may be allowed at once although they have money, which then is all in the headline.
        package let isGroupable: Bool
    }

    package let details: [Detail]

    /// - Parameters:
    ///   - presentation: A node for each detail, or nothing. Members that the nodes do not name follow in the order of
    ///     the request, so that no declaration can hide a member. A node that is not as expected declares nothing.
    ///   - language: A language tag (RFC 5646) or a POSIX locale, such as `de-AT`. A label without a translation to it
    ///     is shown in its own language.
    package init(details: [JSONObject], presentation: [JSONObject], language: String) {
        let reader = PresentationReader(language: language)
        let labels = ImitableLabels(presentation.compactMap(reader.label))
        self.details = details.enumerated().map { index, detail in
            let node = index < presentation.count ? presentation[index] : [:]
            let type = detail["type"]?.stringValue
            let label = reader.label(node)
            let members = reader.members(of: detail, node, without: type == nil ? [] : ["type"])
            let money = MoneySearch(detail, members)
            let headline = Headline(node["headline"]?.stringsValue ?? [], among: members) ?? money.headline
            let isWhole = money.count == 0 || money.isReadable && headline?.money != nil
            let isNegative = headline?.money?.amount.hasPrefix("-") == true
            return Detail(
                type: type, label: label, description: reader.description(node), members: members,
                heading: label ?? type.map(labels.shown), headline: headline,
                hasMoney: money.count > 0, isWhole: isWhole,
                isGroupable: node["groupable"]?.boolValue == true && isWhole && !isNegative)
        }
    }
}

extension RequestRecord {
    /// `language` is a language tag (RFC 5646) or a POSIX locale.
    package func presentation(in language: String) -> RequestPresentation {
        RequestPresentation(
            details: authorizationDetails, presentation: display.presentation, language: language)
    }
}

/// A value with its label: a member of an object, or an element of a list.
package struct PresentedValue: Sendable, Hashable {
    package indirect enum Content: Sendable, Hashable {
        case none
        case flag(Bool)
        /// A number in the spelling of the request: 12.50 is not 12.5 to a reader.
        case number(String)
        case text(String)
        /// Decimal digits with an optional sign and fraction, and three letters (ISO 4217).
        case money(amount: String, currency: String)
        /// `YYYY-MM-DD`, a day that exists.
        case date(String)
        /// A date-time of RFC 3339.
        case time(Timestamp)
        /// A number of an account. An IBAN is in groups of four.
        case account(String)
        /// Never empty.
        case members([PresentedValue])
        /// Never empty.
        case elements([PresentedValue])
        case emptyObject
        case emptyList
    }

    /// The member's name in the request. Nil for an element of a list.
    package let name: String?
    /// The declared label in the reader's language. Elements have the label of their list's items.
    package let label: String?
    package let description: String?
    package let content: Content
    /// The value in the request.
    let value: JSONValue
    /// True if the value is declared as money and cannot be read as such.
    let isUnreadableMoney: Bool
    /// The label, or the name. A name that could be taken for the label of a member beside it, or for white space, is
    /// in quotation marks. Nil for an element without label.
    package let title: String?
}

private func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

/// Labels beside which a name must not look like one of them.
private struct ImitableLabels {
    private let folded: Set<String>

    init(_ labels: [String]) { folded = Set(labels.map(Self.folded)) }

    /// The name as it is. One that differs from a label by case or separators alone, whose ends cannot be seen, or that
    /// has a sign between names and values, is in quotation marks.
    func shown(_ name: String) -> String {
        let scalars = name.unicodeScalars
        let hidesEnd = [scalars.first, scalars.last].contains { $0?.properties.isWhitespace != false }
        let isMisleading =
            hidesEnd || scalars.first == "\"" || name.contains(": ") || name.contains(" / ")
            || folded.contains(Self.folded(name))
        return isMisleading ? JSONWriter.string(.string(name)) : name
    }

    /// `payee_name`, `payeeName` and "Payee name" as one.
    static func folded(_ text: String) -> String {
        String(String.UnicodeScalarView(text.lowercased().unicodeScalars.filter { !isSeparator($0) }))
    }

    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar == "-" || scalar.properties.isWhitespace
    }
}

extension Headline {
    /// Names, without case and separators, of members that say who gets an amount.
    private static let payees: Set<String> = [
        "payee", "payeename", "payto", "creditor", "creditorname", "recipient", "recipientname", "beneficiary",
        "beneficiaryname", "merchant", "merchantname", "to",
    ]

    /// True for a member that says who gets an amount.
    fileprivate static func isPayee(_ member: PresentedValue) -> Bool {
        member.name.map { payees.contains(ImitableLabels.folded($0)) } == true && member.headlined != nil
    }

    /// The named members that have a text. Nil if none has.
    fileprivate init?(_ names: [String], among members: [PresentedValue]) {
        let named = names.compactMap { name in members.first { $0.name == name } }.filter { $0.headlined != nil }
        values = named.compactMap(\.headlined)
        guard let first = values.first else { return nil }
        if case .money = first { isPayment = named.count == 2 && Self.isPayee(named[1]) } else { isPayment = false }
    }

    /// An amount, and who gets it.
    fileprivate init(_ money: Money, payee: PresentedValue.Content?) {
        values = [.money(amount: money.amount, currency: money.currency)] + (payee.map { [$0] } ?? [])
        isPayment = payee != nil
    }
}

extension PresentedValue {
    /// The amount, if the value is one, also without a declaration.
    fileprivate var money: Money? {
        if case .money(let amount, let currency) = content { Money(amount, currency) } else { Money(of: value) }
    }

    /// The content in a headline. Nil for what has no text of its own or an empty one.
    fileprivate var headlined: Content? {
        if let money { return .money(amount: money.amount, currency: money.currency) }
        return switch content {
        case .text(let text), .account(let text):
            text.unicodeScalars.allSatisfy(\.properties.isWhitespace) ? nil : content
        case .number, .money, .date, .time, .flag: content
        case .none, .members, .elements, .emptyObject, .emptyList: nil
        }
    }
}

extension Money {
    /// The amount of an object that has nothing but an amount and a currency.
    fileprivate init?(of value: JSONValue) {
        guard let object = value.objectValue, object.count == 2 else { return nil }
        self.init(object["amount"] ?? object["value"], object["currency"])
    }

    fileprivate init?(_ amount: JSONValue?, _ currency: JSONValue?) {
        guard let amount = decimal(amount), let currency = currencyCode(currency) else { return nil }
        self.init(amount, currency)
    }
}

/// The amounts of a detail, also those that no schema declares. The client chooses the order and the spelling of what the
/// schema leaves open, so neither may decide which of several amounts a person sees first: the only one is the headline.
private struct MoneySearch {
    /// Places where money is, read or not.
    private(set) var count = 0
    private var found: Headline?
    private var isBroken = false

    init(_ detail: JSONObject, _ members: [PresentedValue]) { search(detail, members, around: []) }

    /// True if there is one amount, which can be read.
    var isReadable: Bool { count == 1 && !isBroken }
    var headline: Headline? { isReadable ? found : nil }

    /// `around` are the members around the object, the nearest first, among which the payee may be. Nil for an element of a list: an amount
    /// there is one of several, and none of them is the headline.
    private mutating func search(_ object: JSONObject, _ members: [PresentedValue], around: [[PresentedValue]]?) {
        var isRead = false
        for member in members {
            let isAmount = member.name == "amount" || member.name == "value"
            let money = member.money ?? (isAmount ? Money(member.value, object["currency"]) : nil)
            guard let money else {
                if member.isUnreadableMoney { noteUnreadable() }
                search(below: member, beside: members, around: around)
                continue
            }
            isRead = true
            count += 1
            guard let around else { continue }
            // The client would choose which of two payees is shown.
            let payees = ([members] + around).joined().filter(Headline.isPayee)
            found = Headline(money, payee: payees.count == 1 ? payees[0].headlined : nil)
        }
        if !isRead, object.contains(where: { Self.isCurrency($0.name) }) { noteUnreadable() }
    }

    /// Money whose spelling is none, such as `9e6`, must not pass for something else.
    private mutating func noteUnreadable() {
        count += 1
        isBroken = true
    }

    private static func isCurrency(_ name: String) -> Bool { ImitableLabels.folded(name).hasSuffix("currency") }

    private mutating func search(below member: PresentedValue, beside: [PresentedValue], around: [[PresentedValue]]?) {
        switch member.content {
        case .members(let inner):
            search(member.value.objectValue ?? [:], inner, around: around.map { [beside] + $0 })
        case .elements(let elements): search([:], elements, around: nil)
        default: break
        }
    }
}

/// Three letters (ISO 4217).
private func currencyCode(_ value: JSONValue?) -> String? {
    value?.stringValue.flatMap { $0.utf8.count == 3 && $0.utf8.allSatisfy(isUpper) ? $0 : nil }
}

/// Digits, with a sign and a fraction at most.
private func decimal(_ value: JSONValue?) -> String? {
    let text: String? = if case .number(let number) = value { number.literal } else { value?.stringValue }
    guard let text else { return nil }
    let parts = (text.hasPrefix("-") ? text.dropFirst() : text[...])
        .split(separator: ".", omittingEmptySubsequences: false)
    let isDecimal =
        (1...2).contains(parts.count) && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isDigit) }
    return isDecimal ? text : nil
}

/// Walks details and declarations together. The depth is that of the details, which the JSON reader bounds.
private struct PresentationReader {
    /// Preferred names of translations, in lower case.
    private let tags: [String]

    init(language: String) {
        let tag = language.prefix { $0 != "." && $0 != "@" }.lowercased().replacing("_", with: "-")
        let primary = String(tag.prefix { $0 != "-" })
        tags = tag == primary ? [tag] : [tag, primary]
    }

    func label(_ node: JSONObject) -> String? { text(node, "label", "labels") }
    func description(_ node: JSONObject) -> String? { text(node, "description", "descriptions") }

    private func text(_ node: JSONObject, _ own: String, _ translations: String) -> String? {
        if let translations = node[translations]?.objectValue {
            for tag in tags {
                let text = translations.first { $0.name.lowercased() == tag }?.value.stringValue
                if let text, !text.isEmpty { return text }
            }
        }
        return node[own]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }

    func members(of object: JSONObject, _ node: JSONObject, without omitted: Set<String>) -> [PresentedValue] {
        let nodes = object.map { ($0.name, node["members"]?[$0.name]?.objectValue ?? [:]) }
        let declared = Dictionary(nodes) { first, _ in first }
        let labels = ImitableLabels(declared.values.compactMap(label))
        let currency = currency(beside: object, declared)
        return ordered(object, by: node).compactMap { member in
            guard !omitted.contains(member.name) else { return nil }
            // Each amount beside it shows it.
            guard currency == nil || member.name != "currency" else { return nil }
            let node = declared[member.name] ?? [:]
            let label = label(node)
            return PresentedValue(
                name: member.name, label: label, description: description(node),
                content: content(member.value, node, currency: currency), value: member.value,
                isUnreadableMoney: isUnreadableMoney(member.value, node, currency: currency),
                title: label ?? labels.shown(member.name))
        }
    }

    /// The declared members in their order, then the others in that of the request.
    private func ordered(_ object: JSONObject, by node: JSONObject) -> [(name: String, value: JSONValue)] {
        let names = node["order"]?.arrayValue?.compactMap(\.stringValue) ?? []
        guard !names.isEmpty else { return object.members }
        var rest = Dictionary(object.members.map { ($0.name, $0.value) }) { first, _ in first }
        var result: [(name: String, value: JSONValue)] = []
        for name in names {
            if let value = rest.removeValue(forKey: name) { result.append((name, value)) }
        }
        return result + object.members.filter { rest[$0.name] != nil }
    }

    private func content(_ value: JSONValue, _ node: JSONObject, currency: String?) -> PresentedValue.Content {
        if let format = node["format"]?.stringValue,
            let content = formatted(value, as: format, currency: currency)
        {
            return content
        }
        switch value {
        case .null: return .none
        case .bool(let flag): return .flag(flag)
        case .number(let number): return .number(number.literal)
        case .string(let text): return .text(text)
        case .object(let object):
            return object.isEmpty ? .emptyObject : .members(members(of: object, node, without: []))
        case .array(let elements):
            guard !elements.isEmpty else { return .emptyList }
            let items = node["items"]?.objectValue ?? [:]
            let (label, description) = (label(items), description(items))
            return .elements(
                elements.map { element in
                    PresentedValue(
                        name: nil, label: label, description: description,
                        content: content(element, items, currency: currency), value: element,
                        isUnreadableMoney: isUnreadableMoney(element, items, currency: currency), title: label)
                })
        }
    }

    private func isUnreadableMoney(_ value: JSONValue, _ node: JSONObject, currency: String?) -> Bool {
        // An object with further members has its amount among them.
        node["format"] == "money" && value.objectValue == nil && value != .null
            && formatted(value, as: "money", currency: currency) == nil
    }

    /// Nil for a format that is not known, and for a value that does not have it.
    private func formatted(_ value: JSONValue, as format: String, currency: String?) -> PresentedValue.Content? {
        switch format {
        case "money":
            if let object = value.objectValue { return money(object) }
            guard let currency, let amount = decimal(value) else { return nil }
            return .money(amount: amount, currency: currency)
        case "date":
            guard let text = value.stringValue, text.utf8.count == 10, Timestamp(iso8601: text + "T00:00:00Z") != nil
            else { return nil }
            return .date(text)
        case "date-time": return value.stringValue.flatMap { Timestamp(iso8601: $0) }.map { .time($0) }
        case "account": return value.stringValue.map { .account(Self.grouped(account: $0)) }
        default: return nil
        }
    }

    /// Nil for an object with further members, which would be left out.
    private func money(_ object: JSONObject) -> PresentedValue.Content? {
        Money(of: .object(object)).map { .money(amount: $0.amount, currency: $0.currency) }
    }

    /// The currency of amounts that are members of the object. Nil if no member is such an amount.
    private func currency(beside object: JSONObject, _ nodes: [String: JSONObject]) -> String? {
        guard let currency = currencyCode(object["currency"]) else { return nil }
        let hasAmount = object.contains { member in
            member.name != "currency" && nodes[member.name]?["format"] == "money" && decimal(member.value) != nil
        }
        return hasAmount ? currency : nil
    }

    /// An IBAN (ISO 13616) in groups of four, and anything else unchanged.
    private static func grouped(account text: String) -> String {
        let bytes = Array(text.utf8)
        let isIBAN =
            (15...34).contains(bytes.count) && bytes[..<2].allSatisfy(isUpper)
            && bytes[2..<4].allSatisfy(isDigit)
            && bytes[4...].allSatisfy { isDigit($0) || isUpper($0) }
        guard isIBAN else { return text }
        return stride(from: 0, to: bytes.count, by: 4)
            .map { String(decoding: bytes[$0..<min($0 + 4, bytes.count)], as: UTF8.self) }.joined(separator: " ")
    }
}
