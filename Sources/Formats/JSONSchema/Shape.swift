package import Primitives

/// JSON Schema (draft 2020-12, as in OpenAPI 3.1) of a value. The same schema is documented and validates bodies.
package struct Shape: Sendable {
    package private(set) var schema: JSONObject
    /// Additional scopes that members require of a token.
    package private(set) var memberScopes: [MemberScopes]

    package init(_ schema: JSONObject) { self.init(schema, []) }

    private init(_ schema: JSONObject, _ memberScopes: [MemberScopes]) {
        self.schema = schema
        self.memberScopes = memberScopes
    }

    package var json: JSONValue { .object(schema) }

    /// `length` is in characters.
    package static func text(_ length: ClosedRange<Int>? = nil, pattern: String? = nil, format: String? = nil) -> Shape
    {
        var schema: JSONObject = ["type": "string"]
        if let length {
            if length.lowerBound > 0 { schema["minLength"] = .number(JSONNumber(length.lowerBound)) }
            schema["maxLength"] = .number(JSONNumber(length.upperBound))
        }
        schema["pattern"] = pattern.map(JSONValue.string)
        schema["format"] = format.map(JSONValue.string)
        return Shape(schema)
    }

    package static func choice(_ words: [String]) -> Shape { Shape(["type": "string", "enum": JSONValue(words)]) }

    package static let boolean = Shape(["type": "boolean"])

    package static func integer(_ range: ClosedRange<Int>? = nil) -> Shape {
        var schema: JSONObject = ["type": "integer"]
        if let range {
            schema["minimum"] = .number(JSONNumber(range.lowerBound))
            schema["maximum"] = .number(JSONNumber(range.upperBound))
        }
        return Shape(schema)
    }

    /// Date and time with milliseconds: `2026-01-31T12:00:00.000Z`.
    package static let date = text(format: "date-time")

    package static func list(_ element: Shape, _ count: ClosedRange<Int>? = nil, unique: Bool = false) -> Shape {
        var schema: JSONObject = ["type": "array", "items": element.json]
        if let count {
            if count.lowerBound > 0 { schema["minItems"] = .number(JSONNumber(count.lowerBound)) }
            schema["maxItems"] = .number(JSONNumber(count.upperBound))
        }
        if unique { schema["uniqueItems"] = true }
        return Shape(schema, element.memberScopes)
    }

    /// An object with these members. `isOpen` accepts others too.
    package static func object(_ members: [Member], isOpen: Bool = false) -> Shape {
        var properties = JSONObject()
        for member in members { properties[member.name] = member.shape.json }
        var schema: JSONObject = ["type": "object", "properties": .object(properties)]
        let required = members.filter(\.isRequired).map(\.name)
        if !required.isEmpty { schema["required"] = JSONValue(required) }
        if !isOpen { schema["additionalProperties"] = false }
        return Shape(schema, members.flatMap { member in member.shape.memberScopes.map { $0.below(member.name) } })
    }

    package static let anyObject = Shape(["type": "object"])

    package static let anything = Shape([:])

    package static func either(_ shapes: [Shape]) -> Shape {
        Shape(["anyOf": .array(shapes.map(\.json))], shapes.flatMap(\.memberScopes))
    }

    /// Refers to a named shape of the document.
    package static func reference(_ name: String) -> Shape { Shape(["$ref": .string("#/components/schemas/\(name)")]) }

    package var orNull: Shape {
        guard let type = schema["type"]?.stringValue else { return .either([self, Shape(["type": "null"])]) }
        var copy = self
        copy.schema["type"] = [.string(type), "null"]
        if let words = schema["enum"]?.arrayValue { copy.schema["enum"] = .array(words + [.null]) }
        return copy
    }

    /// The same where no member is required, at no level.
    package var withoutRequirements: Shape {
        func relaxed(_ value: JSONValue) -> JSONValue {
            switch value {
            case .object(let object):
                var copy = JSONObject()
                // The keyword has a list, a member of that name a schema.
                for (name, value) in object where name != "required" || value.arrayValue == nil {
                    copy[name] = relaxed(value)
                }
                return .object(copy)
            case .array(let elements): return .array(elements.map(relaxed))
            default: return value
            }
        }
        return Shape(relaxed(json).objectValue ?? [:])
    }

    /// Requires these scopes of a token that sends the member.
    func needing(_ sets: [[String]]) -> Shape {
        var copy = self
        copy.memberScopes.insert(MemberScopes([], sets), at: 0)
        return copy
    }

    package func described(_ text: String) -> Shape {
        var copy = self
        copy.schema["description"] = .string(text)
        return copy
    }
}
