import Primitives

/// A value during rendering. Lists and objects know their size, and copies cost nothing.
enum TemplateValue: Sendable {
    case none
    /// Equals texts, lists and objects without content. Exists in conditions alone, as `blank` does.
    case empty
    /// Equals nil, false, everything without content, and texts of white space.
    case blank
    case flag(Bool)
    case number(TemplateNumber)
    case text(String, Origin)
    case list(TemplateList)
    case object(TemplateObject)
    case range(TemplateRange)
    /// `forloop` or `tablerowloop`.
    case turn(TemplateTurn)

    /// Source of a text, by which output treats it.
    struct Origin: Sendable, Equatable {
        /// True for text of the template itself and for text that is safe already. Other text gets escaped in HTML.
        let isMarkup: Bool
        /// True if a client or a user wrote a part of the text. Unless it is markup, it becomes `visible`.
        let isOutside: Bool

        static let template = Origin(isMarkup: true, isOutside: false)
        static let server = Origin(isMarkup: false, isOutside: false)
        static let outside = Origin(isMarkup: false, isOutside: true)
    }

    /// `own` are the paths of the texts that are not from outside.
    init(_ json: JSONValue, own: TemplatePaths) {
        switch json {
        case .null: self = .none
        case .bool(let flag): self = .flag(flag)
        case .number(let number): self = TemplateNumber(number.literal).map(TemplateValue.number) ?? .none
        case .string(let text): self = .text(text, own.coversThis ? .server : .outside)
        case .array(let elements):
            self = .list(TemplateList(elements.map { TemplateValue($0, own: own) }))
        case .object(let object):
            self = .object(
                TemplateObject(object.map { ($0.name, TemplateValue($0.value, own: own.below($0.name))) }))
        }
    }

    static func count(_ number: Int) -> TemplateValue { .number(TemplateNumber(number)) }

    /// Only nil and false are untrue in Liquid.
    var isTrue: Bool {
        switch self {
        case .none, .flag(false): false
        default: true
        }
    }

    /// True for texts, lists and objects without content.
    var isEmpty: Bool {
        switch self {
        case .text(let text, _): text.isEmpty
        case .list(let list): list.elements.isEmpty
        case .object(let object): object.names.isEmpty
        default: false
        }
    }

    /// True for nil, false, texts of white space, and what is empty.
    var isBlank: Bool {
        switch self {
        case .none, .flag(false): true
        case .text(let text, _): text.unicodeScalars.allSatisfy(\.isBlank)
        default: isEmpty
        }
    }

    /// The text that output shows. Objects have none.
    var plain: String {
        switch self {
        case .none, .empty, .blank, .object, .turn: ""
        case .flag(let flag): flag ? "true" : "false"
        case .number(let number): number.spelled
        case .text(let text, _): text
        case .list(let list): list.elements.map(\.plain).joined()
        case .range(let range): "\(range.first)..\(range.last)"
        }
    }

    /// True if a client or a user wrote a part of `plain`.
    var isOutside: Bool {
        switch self {
        case .text(_, let origin): origin.isOutside
        case .list(let list): list.elements.contains(where: \.isOutside)
        default: false
        }
    }

    /// The number that arithmetic takes: 0 for values that are none.
    var number: TemplateNumber {
        switch self {
        case .number(let number): number
        case .text(let text, _): TemplateNumber(startOf: text)
        default: TemplateNumber(0)
        }
    }

    /// The whole number that the value is, or that its text spells.
    var integer: Int? {
        switch self {
        case .number(let number): return number.int
        case .text(let text, _):
            let bytes = text.utf8.drop(while: \.isLiquidSpace)
            let digits =
                bytes.first.map { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") } == true
                ? bytes.dropFirst() : bytes
            let rest = digits.drop(while: \.isDigit)
            guard digits.first?.isDigit == true, rest.allSatisfy(\.isLiquidSpace) else { return nil }
            return TemplateNumber(startOf: text).int
        default: return nil
        }
    }

    /// Bytes, and 16 for each element or member. Every work on a value is linear in its size.
    var size: Int {
        switch self {
        case .none, .empty, .blank, .flag, .range, .turn: 1
        case .number: 16
        case .text(let text, _): text.utf8.count
        case .list(let list): list.size
        case .object(let object): object.size
        }
    }

    /// Size of a text in characters, and of lists and objects in elements. 0 for other values.
    var count: Int {
        switch self {
        case .text(let text, _): text.unicodeScalars.count
        case .list(let list): list.elements.count
        case .object(let object): object.names.count
        case .range(let range): range.count
        default: 0
        }
    }

    var first: TemplateValue {
        switch self {
        case .list(let list): list.elements.first ?? .none
        case .object(let object): object.names.first.map { object.pair($0) } ?? .none
        case .range(let range): .count(range.first)
        default: .none
        }
    }

    var last: TemplateValue {
        switch self {
        case .list(let list): list.elements.last ?? .none
        case .range(let range): .count(range.last)
        default: .none
        }
    }

    /// The member after a dot: that of an object, or else the size, or the first or last element.
    func member(_ name: String) -> TemplateValue {
        switch (self, name) {
        case (.object(let object), _) where object[name] != nil: object[name] ?? .none
        case (.turn(let turn), _): turn.member(name)
        case (.text, "size"), (.list, "size"), (.object, "size"), (.range, "size"): .count(count)
        case (_, "first"): first
        case (_, "last"): last
        default: .none
        }
    }

    /// The element or member that stands in brackets. Lists count from their end if the number is negative.
    func element(_ index: TemplateValue) -> TemplateValue {
        switch (self, index) {
        case (.list(let list), .number(let number)):
            guard let number = number.int else { return .none }
            let position = number < 0 ? list.elements.count + number : number
            return list.elements.indices.contains(position) ? list.elements[position] : .none
        case (.object(let object), .text(let name, _)): return object[name] ?? .none
        case (.turn(let turn), .text(let name, _)): return turn.member(name)
        default: return .none
        }
    }

    static func areEqual(_ one: TemplateValue, _ other: TemplateValue) -> Bool {
        switch (one, other) {
        case (.blank, let value), (let value, .blank): value.isBlank
        case (.empty, let value), (let value, .empty): value.isEmpty
        case (.none, .none): true
        case (.flag(let one), .flag(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.range(let one), .range(let other)): one == other
        case (.text(let one, _), .text(let other, _)):
            one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8)
        case (.list(let one), .list(let other)):
            one.elements.count == other.elements.count
                && zip(one.elements, other.elements).allSatisfy { areEqual($0, $1) }
        case (.object(let one), .object(let other)):
            one.names.count == other.names.count
                && one.names.allSatisfy { name in
                    guard let left = one[name], let right = other[name] else { return false }
                    return areEqual(left, right)
                }
        default: false
        }
    }

    /// Nil if the values have no order, such as nil and lists. Throws for a number and a text.
    static func isLess(
        _ one: TemplateValue, _ other: TemplateValue, orEqual: Bool
    ) throws(TemplateFilter.Fault) -> Bool {
        switch (one, other) {
        case (.number(let one), .number(let other)): return orEqual ? one <= other : one < other
        case (.text(let one, _), .text(let other, _)):
            return orEqual
                ? !other.utf8.lexicographicallyPrecedes(one.utf8) : one.utf8.lexicographicallyPrecedes(other.utf8)
        case (.number, .text), (.text, .number): throw .problem("a number and a text are compared by order")
        default: return false
        }
    }

    func contains(_ part: TemplateValue) -> Bool {
        guard part.isTrue else { return false }
        switch (self, part) {
        case (.text(let text, _), _): return ByteSearch(part.plain).isIn(text.utf8)
        case (.list(let list), _): return list.elements.contains { Self.areEqual($0, part) }
        case (.object(let object), .text(let name, _)): return object[name] != nil
        case (.range(let range), .number(let number)):
            return TemplateNumber(range.first) <= number && number <= TemplateNumber(range.last)
        default: return false
        }
    }
}

struct TemplateList: Sendable {
    let elements: [TemplateValue]
    let size: Int

    init(_ elements: [TemplateValue]) {
        self.elements = elements
        size = elements.reduce(0) { $0 + $1.size + 16 }
    }
}

struct TemplateObject: Sendable {
    /// In the order of the members.
    let names: [String]
    private let values: [String: TemplateValue]
    let size: Int

    init(_ members: [(name: String, value: TemplateValue)]) {
        names = members.map(\.name)
        values = Dictionary(members.map { ($0.name, $0.value) }) { $1 }
        size = members.reduce(0) { $0 + $1.name.utf8.count + $1.value.size + 16 }
    }

    subscript(name: String) -> TemplateValue? { values[name] }

    /// The name and the value of a member, as loops see it.
    func pair(_ name: String) -> TemplateValue {
        .list(TemplateList([.text(name, .outside), values[name] ?? .none]))
    }
}

/// Whole numbers in a row.
struct TemplateRange: Sendable, Equatable {
    let first, last: Int
    var count: Int { max(last - first + 1, 0) }
}

/// A turn of a loop, which counts from 0.
struct TemplateTurn: Sendable {
    /// The loop's variable and list.
    let name: String
    let index, count: Int
    /// Columns of a table's rows. Nil in `for`.
    var columns: Int?
    /// The turn of the loop around this one, or nothing.
    var outer: [TemplateTurn] = []

    func member(_ name: String) -> TemplateValue {
        switch name {
        case "index": .count(index + 1)
        case "index0": .count(index)
        case "rindex": .count(count - index)
        case "rindex0": .count(count - index - 1)
        case "first": .flag(index == 0)
        case "last": .flag(index == count - 1)
        case "length": .count(count)
        default: columns.map { columnMember(name, of: $0) } ?? loopMember(name)
        }
    }

    private func loopMember(_ name: String) -> TemplateValue {
        switch name {
        case "name": .text(self.name, .template)
        case "parentloop": outer.first.map(TemplateValue.turn) ?? .none
        default: .none
        }
    }

    private func columnMember(_ name: String, of columns: Int) -> TemplateValue {
        let column = index % columns
        return switch name {
        case "row": .count(index / columns + 1)
        case "col": .count(column + 1)
        case "col0": .count(column)
        case "col_first": .flag(column == 0)
        case "col_last": .flag(column == columns - 1)
        default: .none
        }
    }
}

extension Unicode.Scalar {
    /// True for white space.
    var isBlank: Bool { isASCII ? value == 0x20 || (0x09...0x0D).contains(value) : properties.isWhitespace }
}
extension String {
    /// Escapes what has a meaning in HTML's text and in its quoted attributes.
    package var escapedForHTML: String {
        guard utf8.contains(where: \.hasMeaningInHTML) else { return self }
        var output: [UInt8] = []
        output.reserveCapacity(utf8.count + 16)
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "&"): output += "&amp;".utf8
            case UInt8(ascii: "<"): output += "&lt;".utf8
            case UInt8(ascii: ">"): output += "&gt;".utf8
            case UInt8(ascii: "\""): output += "&quot;".utf8
            case UInt8(ascii: "'"): output += "&#39;".utf8
            default: output.append(byte)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var hasMeaningInHTML: Bool {
        switch self {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
        default: false
        }
    }
}
