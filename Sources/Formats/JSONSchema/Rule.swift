import Primitives

/// One compiled schema within the schema.
enum Subschema: Sendable {
    case always
    case never
    case rules([Rule])
}

/// Requirement of one keyword, or of a few that work together. Integers are indexes into the list of subschemas.
enum Rule: Sendable {
    case reference(Int)
    case type(Set<ValueType>)
    /// `enum` and `const`: equality classes, and the values for the violation's text.
    case oneOf(Keyword, Set<Int>, [JSONValue])
    case limit(Keyword, ExactDecimal, literal: String)
    case multipleOf(ExactDecimal.Divisor, literal: String)
    /// Minimum or maximum number of characters, elements or members.
    case size(Keyword, Int)
    case pattern(SchemaPattern)
    case format(Format)
    case uniqueItems
    case required([String])
    case dependentRequired([(name: String, needs: [String])])
    case propertyNames(Int)
    case members(MemberRules)
    case elements(prefix: [Int], rest: Int?)
    case contains(Int, atLeast: Int, atMost: Int?)
    case allOf([Int])
    case anyOf([Int])
    case exactlyOneOf([Int])
    case not(Int)
    case condition(Int, then: Int?, otherwise: Int?)
    case dependentSchemas([(name: String, subschema: Int)])
}

/// `properties`, `patternProperties` and `additionalProperties`, the last depending on the others (Core 10.3.2.3).
struct MemberRules: Sendable {
    var named: [String: Int] = [:]
    var matching: [(pattern: SchemaPattern, subschema: Int)] = []
    var additional: Int?
}

/// A compiled pattern with its source, which the violation's text quotes.
struct SchemaPattern: Sendable {
    let source: String
    let compiled: any CompiledPattern
}

/// The values of `type` (Validation 6.1.1).
enum ValueType: String, CaseIterable, Sendable {
    case string, integer, number, boolean, object, array, null

    func includes(_ content: Instance.Content) -> Bool {
        switch (self, content) {
        case (.null, .null), (.boolean, .bool), (.string, .string), (.array, .array), (.object, .object),
            (.number, .number):
            true
        case (.integer, .number(let value)): value.isWhole
        default: false
        }
    }
}
