import Primitives

/// Looks for a value that a schema accepts: required members alone, constants, first alternatives and smallest sizes. The
/// value is a guess, which validation has to confirm.
struct SchemaExample {
    private let walk: SchemaWalk
    private var steps = SchemaContradiction.stepLimit
    /// Values that may still be added, counted as often as they stand in the example.
    private var values = 2_000

    init(of schema: JSONValue) { walk = SchemaWalk(root: schema) }

    /// An object with these members. Nil if the search takes too many steps, or the object has too many values.
    mutating func object(with members: JSONObject) -> JSONValue? {
        object(walk.applying([walk.start], choosing: true, &steps), members, depth: 0)
    }

    private mutating func value(of places: [SchemaWalk.Place], depth: Int) -> JSONValue? {
        let applying = walk.applying(places, choosing: true, &steps)
        guard steps > 0, take(1), depth <= Instance.depthLimit else { return nil }
        if let constant = applying.first(.const) ?? applying.first(.enum)?.arrayValue?.first {
            return take(constant.valueCount) ? constant : nil
        }
        let declared = ValueType.allCases.first(where: applying.types.contains)
        switch applying.first(.type) == nil ? Self.implied(by: applying) : declared {
        case .string: return .string(Self.text(applying))
        case .integer, .number: return .number(Self.number(applying))
        case .boolean: return true
        case .null, nil: return .null
        case .object: return object(applying, [:], depth: depth)
        case .array:
            let contained = applying.compactMap { $0.below(.contains) }
            let count = min(applying.first(.minItems)?.intValue ?? min(contained.count, 1), 100)
            if count == 0 { return [] }
            let items = applying.compactMap { $0.below(.items) }
            let before = values
            guard let item = value(of: items + contained, depth: depth + 1), take((before - values) * (count - 1))
            else {
                return nil
            }
            return .array(Array(repeating: item, count: count))
        }
    }

    /// False if the example would become too large.
    private mutating func take(_ count: Int) -> Bool {
        values -= count
        return values >= 0
    }

    /// Type of a value whose schemas declare none.
    private static func implied(by applying: [SchemaWalk.Place]) -> ValueType {
        func has(_ keywords: Keyword...) -> Bool { keywords.contains { applying.first($0) != nil } }
        if has(.properties, .required, .minProperties) { return .object }
        if has(.items, .prefixItems, .minItems, .contains) { return .array }
        return has(.minimum, .maximum, .exclusiveMinimum, .exclusiveMaximum, .multipleOf) ? .integer : .string
    }

    private mutating func object(_ applying: [SchemaWalk.Place], _ members: JSONObject, depth: Int) -> JSONValue? {
        var object = members
        for name in applying.flatMap(\.required) {
            steps -= 1
            guard steps > 0 else { return nil }
            guard object[name] == nil else { continue }
            steps -= applying.count
            guard let value = value(of: applying.compactMap { $0.below(.properties, name) }, depth: depth + 1) else {
                return nil
            }
            object[name] = value
        }
        return .object(object)
    }

    private static func text(_ applying: [SchemaWalk.Place]) -> String {
        switch applying.first(.format)?.stringValue.flatMap(Format.init(rawValue:)) {
        case .date: "2026-01-31"
        case .dateTime: "2026-01-31T12:00:00Z"
        case .time: "12:00:00Z"
        case .duration: "P1D"
        case .email: "ann@example.com"
        case .hostname: "example.com"
        case .uri, .uriReference: "https://example.com/"
        case .jsonPointer: "/a"
        case .uuid: "00000000-0000-4000-8000-000000000000"
        case .ipv4: "192.0.2.1"
        case .ipv6: "2001:db8::1"
        case .regex, nil: String(repeating: "a", count: min(applying.first(.minLength)?.intValue ?? 1, 1_000))
        }
    }

    private static func number(_ applying: [SchemaWalk.Place]) -> JSONNumber {
        func limit(_ keyword: Keyword) -> Double? { applying.first(keyword)?.doubleValue }
        let least = limit(.minimum) ?? limit(.exclusiveMinimum).map { $0 + 1 }
        let wanted = least ?? limit(.maximum) ?? limit(.exclusiveMaximum).map { $0 - 1 } ?? 1
        let value = limit(.multipleOf).map { (wanted / $0).rounded(least == nil ? .down : .up) * $0 } ?? wanted
        guard value == value.rounded(), value.magnitude < 1e15 else { return JSONNumber(value) ?? JSONNumber(1) }
        return JSONNumber(Int(value))
    }
}

extension JSONValue {
    /// Values below this one.
    var valueCount: Int {
        let below = arrayValue ?? objectValue?.members.map(\.value) ?? []
        return below.reduce(below.count) { $0 + $1.valueCount }
    }
}
