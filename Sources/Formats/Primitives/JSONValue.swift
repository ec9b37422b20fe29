/// A JSON value (RFC 8259) that preserves the order of members and the spelling of numbers.
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

/// A number in its original spelling, so that `12.50` does not become `12.5`.
public struct JSONNumber: Sendable, Hashable {
    /// The literal, valid by RFC 8259 clause 6.
    public let literal: String

    init(unchecked literal: String) { self.literal = literal }

    public init(_ value: Int) { literal = String(value) }
    public init(_ value: Int64) { literal = String(value) }

    /// Nil for an infinity or a NaN, which JSON cannot represent.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        if let whole = Int64(exactly: value), whole.magnitude < 9_007_199_254_740_992 {
            literal = String(whole)
        } else {
            literal = String(describing: value)
        }
    }

    /// The value if the number is whole and fits, also if written `1.0` or `1e3`.
    public var intValue: Int? {
        if let value = Int(literal) { return value }
        guard let value = Double(literal).flatMap(Int.init(exactly:)), value.magnitude < 9_007_199_254_740_992 else {
            return nil
        }
        return value
    }

    /// Infinite if the literal is beyond a double's range.
    public var doubleValue: Double { Double(literal) ?? .nan }
}

/// Members in the order received, with unique names.
public struct JSONObject: Sendable, Hashable, Sequence, ExpressibleByDictionaryLiteral {
    public private(set) var members: [(name: String, value: JSONValue)] = []
    /// Places of the members, of objects with more than `searched`. Others are searched.
    private var places: [String: Int]?
    private static let searched = 32

    public init() {}

    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }

    init(unchecked members: [(name: String, value: JSONValue)]) {
        self.members = members
        locate()
    }

    public var count: Int { members.count }
    public var isEmpty: Bool { members.isEmpty }

    /// Setting nil removes the member. Setting a new name appends it.
    public subscript(name: String) -> JSONValue? {
        get { place(of: name).map { members[$0].value } }
        set {
            switch (place(of: name), newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil):
                members.remove(at: index)
                locate()
            case (nil, let value?):
                members.append((name, value))
                if places == nil { locate() } else { places?[name] = members.count - 1 }
            case (nil, nil): break
            }
        }
    }

    private func place(of name: String) -> Int? {
        if let places { places[name] } else { members.firstIndex { $0.name == name } }
    }

    private mutating func locate() {
        guard members.count > Self.searched else { return places = nil }
        places = Dictionary(members.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// The object without the members of these names, in one step. Each single removal costs as much as the object has members.
    package func without(_ names: Set<String>) -> JSONObject {
        names.isEmpty ? self : JSONObject(unchecked: members.filter { !names.contains($0.name) })
    }

    public func makeIterator() -> IndexingIterator<[(name: String, value: JSONValue)]> { members.makeIterator() }

    /// Equal if the same names have the same values, in any order (RFC 8259 clause 4).
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.allSatisfy { right[$0.name] == $0.value }
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(Set(members.map(\.name))) }
}

extension JSONValue {
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    public var intValue: Int? { if case .number(let value) = self { value.intValue } else { nil } }
    public var doubleValue: Double? { if case .number(let value) = self { value.doubleValue } else { nil } }
    public var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    public var objectValue: JSONObject? { if case .object(let value) = self { value } else { nil } }
    public var isNull: Bool { self == .null }

    /// The member of an object. Nil for anything else.
    public subscript(name: String) -> JSONValue? { objectValue?[name] }
    /// The element of an array. Nil beyond its end or for anything else.
    public subscript(index: Int) -> JSONValue? {
        guard let array = arrayValue, array.indices.contains(index) else { return nil }
        return array[index]
    }

    /// The array's strings. Nil if this is no array or an element is no string.
    public var stringsValue: [String]? {
        guard let array = arrayValue else { return nil }
        let strings = array.compactMap(\.stringValue)
        return strings.count == array.count ? strings : nil
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
    public init(nilLiteral: ()) { self = .null }
    public init(_ strings: [String]) { self = .array(strings.map(JSONValue.string)) }
    public init(_ value: Int64) { self = .number(JSONNumber(value)) }
}
