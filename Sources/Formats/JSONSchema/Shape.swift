package import Primitives

/// JSON Schema (draft 2020-12, as in OpenAPI 3.1) of a value. The same schema is documented and validates bodies.
package struct Shape: Sendable {
    package private(set) var schema: JSONObject
    /// Declarations of the members, those of outer ones first.
    package private(set) var protections: [MemberProtection]

    package init(_ schema: JSONObject) { self.init(schema, []) }

    private init(_ schema: JSONObject, _ protections: [MemberProtection]) {
        self.schema = schema
        self.protections = protections
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
        return Shape(schema, element.protections)
    }

    /// An object with these members. `isOpen` accepts others too.
    package static func object(_ members: [Member], isOpen: Bool = false) -> Shape {
        var properties = JSONObject()
        for member in members { properties[member.name] = member.shape.json }
        var schema: JSONObject = ["type": "object", "properties": .object(properties)]
        let required = members.filter(\.isRequired).map(\.name)
        if !required.isEmpty { schema["required"] = JSONValue(required) }
        if !isOpen { schema["additionalProperties"] = false }
        return Shape(schema, members.flatMap { member in member.shape.protections.map { $0.below(member.name) } })
    }

    package static let anyObject = Shape(["type": "object"])

    package static let anything = Shape([:])

    package static func either(_ shapes: [Shape]) -> Shape {
        Shape(["anyOf": .array(shapes.map(\.json))], shapes.flatMap(\.protections))
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

    /// Declares the member of this shape, in place of an earlier declaration.
    func protecting(_ protection: MemberProtection) -> Shape {
        var copy = self
        copy.protections.removeAll(where: \.path.isEmpty)
        copy.protections.insert(protection, at: 0)
        return copy
    }

    /// Takes members at these paths of an open object, with a warning that they have no effect.
    package func taking(withoutEffect paths: [[String]]) -> Shape {
        var copy = self
        copy.protections += paths.map { MemberProtection($0, .nothing, [], warning: MemberProtection.noEffect) }
        return copy
    }

    /// Warnings for whoever sends the body.
    package func warnings(about body: JSONValue) -> [String] {
        protections.compactMap { rule in
            rule.warning.flatMap { rule.isNamed(in: body, byOuterNull: false) ? "\(rule.name) \($0)" : nil }
        }
    }

    /// An object with one more member.
    package func adding(_ member: Member) -> Shape {
        guard let properties = schema["properties"]?.objectValue else { return self }
        var copy = self
        var members = properties
        members[member.name] = member.shape.json
        copy.schema["properties"] = .object(members)
        return copy
    }

    package func described(_ text: String) -> Shape {
        var copy = self
        copy.schema["description"] = .string(text)
        return copy
    }
}
