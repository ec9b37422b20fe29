import Primitives

/// A value during rendering.
enum TemplateValue: Sendable, Equatable {
    case none
    /// Equals everything without content.
    case empty
    case flag(Bool)
    /// A number in its spelling.
    case number(String)
    /// Text from outside. HTML gets it escaped.
    case text(String)
    /// Text of the template itself, and text that is escaped.
    case markup(String)
    case list([TemplateValue])
    case object(JSONObject)

    init(_ json: JSONValue) {
        self =
            switch json {
            case .null: .none
            case .bool(let flag): .flag(flag)
            case .number(let number): .number(number.literal)
            case .string(let text): .text(text)
            case .array(let elements): .list(elements.map(TemplateValue.init))
            case .object(let object): .object(object)
            }
    }

    /// Only nil and false are untrue in Liquid.
    var isTrue: Bool { self != .none && self != .flag(false) }

    var isEmpty: Bool {
        switch self {
        case .none, .empty, .flag(false): true
        case .flag, .number: false
        case .text(let text), .markup(let text): text.allSatisfy(\.isWhitespace)
        case .list(let elements): elements.isEmpty
        case .object(let object): object.isEmpty
        }
    }

    /// The text that output shows. Objects have none.
    var plain: String {
        switch self {
        case .none, .empty, .object: ""
        case .flag(let flag): flag ? "true" : "false"
        case .number(let literal): literal
        case .text(let text), .markup(let text): text
        case .list(let elements): elements.map(\.plain).joined()
        }
    }

    /// Numbers, and texts that are numbers.
    var double: Double? {
        switch self {
        // No number that is meant as one is longer.
        case .number(let literal): literal.utf8.count <= 64 ? Double(literal) : nil
        case .text(let text), .markup(let text):
            text.utf8.count <= 18 && text.utf8.allSatisfy({ (0x2D...0x39).contains($0) && $0 != 0x2F })
                ? Double(text) : nil
        default: nil
        }
    }

    /// Nil for fractions and for numbers beyond any length of a text.
    var int: Int? { double.flatMap { $0.magnitude <= 1e9 ? Int($0.rounded(.down)) : nil } }

    /// Bytes, and 16 for each element or member. Every work on a value is linear in its size.
    var size: Int {
        switch self {
        case .none, .empty, .flag: 1
        case .number(let text), .text(let text), .markup(let text): text.utf8.count
        case .list(let elements): elements.reduce(0) { $0 + $1.size + 16 }
        case .object(let object): Self.size(of: .object(object))
        }
    }

    static func size(of json: JSONValue) -> Int {
        switch json {
        case .null, .bool: 1
        case .number(let number): number.literal.utf8.count
        case .string(let text): text.utf8.count
        case .array(let elements): elements.reduce(0) { $0 + size(of: $1) + 16 }
        case .object(let object): object.reduce(0) { $0 + $1.name.utf8.count + size(of: $1.value) + 16 }
        }
    }

    func member(_ name: String) -> TemplateValue {
        switch (self, name) {
        case (.object(let object), _):
            if let value = object[name] { return TemplateValue(value) }
            return name == "size" ? .number(String(object.count)) : .none
        case (.list(let elements), "size"): return .number(String(elements.count))
        case (.list(let elements), "first"): return elements.first ?? .none
        case (.list(let elements), "last"): return elements.last ?? .none
        case (.text(let text), "size"), (.markup(let text), "size"): return .number(String(text.count))
        default: return .none
        }
    }

    func element(_ index: TemplateValue) -> TemplateValue {
        if case .list(let elements) = self, let number = index.int {
            let position = number < 0 ? elements.count + number : number
            return elements.indices.contains(position) ? elements[position] : .none
        }
        return member(index.plain)
    }

    static func areEqual(_ one: TemplateValue, _ other: TemplateValue) -> Bool {
        switch (one, other) {
        case (.empty, let value), (let value, .empty): value.isEmpty
        case (.none, .none): true
        case (.flag(let one), .flag(let other)): one == other
        case (.number, .number): one.double == other.double
        case (.text(let one), .text(let other)), (.markup(let one), .markup(let other)),
            (.text(let one), .markup(let other)), (.markup(let one), .text(let other)):
            one.utf8.elementsEqual(other.utf8)
        case (.list(let one), .list(let other)):
            one.count == other.count && zip(one, other).allSatisfy { areEqual($0, $1) }
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }

    func contains(_ part: TemplateValue) -> Bool {
        switch self {
        case .text(let text), .markup(let text): ByteSearch(part.plain).isIn(text.utf8)
        case .list(let elements): elements.contains { Self.areEqual($0, part) }
        case .object(let object): object[part.plain] != nil
        default: false
        }
    }
}

extension String {
    /// Escapes what has a meaning in HTML's text and in its quoted attributes.
    package var escapedForHTML: String {
        guard utf8.contains(where: { "&<>\"'".utf8.contains($0) }) else { return self }
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
