import Primitives

/// A value during rendering. Lists and objects know their size, and copies cost nothing.
enum TemplateValue: Sendable {
    case none
    /// Equals everything without content.
    case empty
    /// Equals the same, and texts of white space.
    case blank
    case flag(Bool)
    /// A number in its spelling.
    case number(String)
    case text(String, Origin)
    case list(TemplateList)
    case object(TemplateObject)
    /// `forloop` in a turn, which counts from 0.
    case turn(Int, of: Int)

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
        case .number(let number): self = .number(number.literal)
        case .string(let text): self = .text(text, own.coversThis ? .server : .outside)
        case .array(let elements):
            self = .list(TemplateList(elements.map { TemplateValue($0, own: own) }))
        case .object(let object):
            self = .object(
                TemplateObject(object.map { ($0.name, TemplateValue($0.value, own: own.below($0.name))) }))
        }
    }

    /// Only nil and false are untrue in Liquid.
    var isTrue: Bool {
        switch self {
        case .none, .flag(false): false
        default: true
        }
    }

    /// True for nil, false, and texts and lists without content.
    var isEmpty: Bool {
        switch self {
        case .none, .empty, .blank, .flag(false): true
        case .flag, .number, .turn: false
        case .text(let text, _): text.isEmpty
        case .list(let list): list.elements.isEmpty
        case .object(let object): object.names.isEmpty
        }
    }

    /// True also for texts of white space.
    var isBlank: Bool {
        if case .text(let text, _) = self { text.unicodeScalars.allSatisfy(\.isBlank) } else { isEmpty }
    }

    /// The text that output shows. Objects have none.
    var plain: String {
        switch self {
        case .none, .empty, .blank, .object, .turn: ""
        case .flag(let flag): flag ? "true" : "false"
        case .number(let literal): literal
        case .text(let text, _): text
        case .list(let list): list.elements.map(\.plain).joined()
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

    /// Numbers, and texts that are numbers.
    var double: Double? {
        switch self {
        // No number that is meant as one is longer.
        case .number(let literal): literal.utf8.count <= 64 ? Double(literal) : nil
        case .text(let text, _):
            text.utf8.count <= 18 && text.utf8.allSatisfy({ (0x2D...0x39).contains($0) && $0 != 0x2F })
                ? Double(text) : nil
        default: nil
        }
    }

    /// Rounded down. Nil for numbers beyond those that a `Double` has exactly.
    var int: Int? { double.flatMap { $0.magnitude <= 1e15 ? Int($0.rounded(.down)) : nil } }

    /// Bytes, and 16 for each element or member. Every work on a value is linear in its size.
    var size: Int {
        switch self {
        case .none, .empty, .blank, .flag, .turn: 1
        case .number(let text), .text(let text, _): text.utf8.count
        case .list(let list): list.size
        case .object(let object): object.size
        }
    }

    func member(_ name: String) -> TemplateValue {
        switch (self, name) {
        case (.object(let object), _):
            object[name] ?? (name == "size" ? .number(String(object.names.count)) : .none)
        case (.list(let list), "size"): .number(String(list.elements.count))
        case (.list(let list), "first"): list.elements.first ?? .none
        case (.list(let list), "last"): list.elements.last ?? .none
        case (.text(let text, _), "size"): .number(String(text.count))
        case (.turn(let index, let count), _): Self.progress(name, index, count)
        default: .none
        }
    }

    private static func progress(_ name: String, _ index: Int, _ count: Int) -> TemplateValue {
        switch name {
        case "index": .number(String(index + 1))
        case "index0": .number(String(index))
        case "rindex": .number(String(count - index))
        case "rindex0": .number(String(count - index - 1))
        case "first": .flag(index == 0)
        case "last": .flag(index == count - 1)
        case "length": .number(String(count))
        default: .none
        }
    }

    func element(_ index: TemplateValue) -> TemplateValue {
        if case .list(let list) = self, let number = index.int {
            let position = number < 0 ? list.elements.count + number : number
            return list.elements.indices.contains(position) ? list.elements[position] : .none
        }
        return member(index.plain)
    }

    static func areEqual(_ one: TemplateValue, _ other: TemplateValue) -> Bool {
        switch (one, other) {
        case (.blank, let value), (let value, .blank): value.isBlank
        case (.empty, let value), (let value, .empty): value.isEmpty
        case (.none, .none): true
        case (.flag(let one), .flag(let other)): one == other
        case (.number, .number): one.double == other.double
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

    func contains(_ part: TemplateValue) -> Bool {
        switch self {
        case .text(let text, _): ByteSearch(part.plain).isIn(text.utf8)
        case .list(let list): list.elements.contains { Self.areEqual($0, part) }
        case .object(let object): object[part.plain] != nil
        default: false
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
