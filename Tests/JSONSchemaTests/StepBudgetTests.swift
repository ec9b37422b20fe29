import JSONSchema
import Primitives
import TestSupport
import Testing

@Suite("JSON Schema: step budgets")
struct StepBudgetTests {
    /// Steps of a validation. Nil means that the budget was too small.
    private func steps(_ schema: String, _ value: JSONValue, budget: Int = 1_000_000_000) throws -> Int? {
        var left = StepBudget(budget)
        do {
            _ = try Sample(schema).schema.validate(value, within: &left)
        } catch is StepBudget.Exhausted {
            #expect(left.left == 0)
            return nil
        }
        return budget - left.left
    }

    private func expectGrowth(
        _ schema: String, atMost factor: Int, for value: (Int) -> JSONValue,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let small = try #require(try steps(schema, value(50)), sourceLocation: sourceLocation)
        let large = try #require(try steps(schema, value(500)), sourceLocation: sourceLocation)
        #expect(large <= small * factor, "\(schema): \(small), \(large)", sourceLocation: sourceLocation)
    }

    private func integers(_ count: Int) -> JSONValue { .array((0..<count).map { JSONValue(integerLiteral: $0) }) }

    private func object(_ count: Int) -> JSONValue {
        var object = JSONObject()
        for index in 0..<count { object["m\(index)"] = .number(JSONNumber(index)) }
        return .object(object)
    }

    @Test("For every keyword, a 10 times larger value takes about 10 times the steps")
    func growth() throws {
        for schema in [
            #"{"uniqueItems":true}"#, #"{"contains":{"const":-1},"minContains":0}"#, #"{"items":{"enum":[1,2,[3]]}}"#,
            ##"{"$defs":{"a":{"items":{"$ref":"#/$defs/b"}},"b":{"not":{"const":-1}}},"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}"##,
        ] { try expectGrowth(schema, atMost: 12, for: integers) }
        for schema in [
            #"{"additionalProperties":{"type":"integer"},"patternProperties":{"^m1":{},"^m2":{},"^(a|b)$":{}}}"#,
            #"{"propertyNames":{"pattern":"^m[0-9]+$"}}"#, #"{"dependentRequired":{"m1":["m2"]},"required":["m1"]}"#,
        ] { try expectGrowth(schema, atMost: 14, for: object) }
        try expectGrowth(#"{"pattern":"^(a?){200}b$"}"#, atMost: 11) { .string(String(repeating: "a", count: $0)) }
    }

    @Test("Each keyword that compares, matches or follows references charges steps")
    func charges() throws {
        let text = JSONValue.string(String(repeating: "a", count: 200))
        let plain = try #require(try steps("{}", text))
        #expect(try steps(#"{"pattern":"(?:a?){500}b"}"#, text) ?? 0 >= plain + 500 * 200)
        #expect(try steps(#"{"minLength":1}"#, text) ?? 0 >= plain + 200)
        #expect(try steps(#"{"format":"email"}"#, text) ?? 0 >= plain + 200)
        let list = integers(100)
        let listed = try #require(try steps("{}", list))
        for schema in [#"{"uniqueItems":true}"#, #"{"items":{"const":1}}"#, #"{"contains":{"const":-1}}"#] {
            #expect(try steps(schema, list) ?? 0 >= listed + 50, "\(schema)")
        }
        // Looking up a long name reads all of it, for each value.
        let name = String(repeating: "n", count: 10_000)
        let objects = JSONValue.array(Array(repeating: [:], count: 50))
        for schema in [
            #"{"items":{"required":["\#(name)"]}}"#, #"{"items":{"dependentRequired":{"\#(name)":[]}}}"#,
            #"{"items":{"dependentSchemas":{"\#(name)":true}}}"#,
        ] { #expect(try steps(schema, objects) ?? 0 >= 10_000, "\(schema.prefix(40))") }
    }

    @Test("Validation throws beyond the budget, also within not, anyOf, oneOf and if")
    func exhaustion() throws {
        let text = JSONValue.string(String(repeating: "a", count: 255))
        let hurtful = #"{"pattern":"(?:a?){500}b"}"#
        for schema in [
            hurtful, #"{"not":\#(hurtful)}"#, #"{"anyOf":[\#(hurtful),true]}"#, #"{"oneOf":[\#(hurtful),true]}"#,
            #"{"if":\#(hurtful),"then":true}"#, ##"{"$defs":{"a":\##(hurtful)},"$ref":"#/$defs/a"}"##,
        ] {
            #expect(try steps(schema, text, budget: 100_000) == nil, "\(schema)")
            #expect(try steps(schema, text, budget: 1_000_000) != nil, "\(schema)")
        }
    }

    @Test("A budget serves several values, and the same value always takes the same steps")
    func sharing() throws {
        let schema = try Sample(#"{"pattern":"^[a-z]+$"}"#).schema
        var budget = StepBudget(10_000)
        var taken: [Int] = []
        for _ in 0..<3 {
            let before = budget.left
            _ = try schema.validate("abc", within: &budget)
            taken.append(before - budget.left)
        }
        #expect(Set(taken).count == 1)
    }

    @Test("A schema has at most 100 patterns, with a limited total weight")
    func schemaWeight() throws {
        func patterns(_ count: Int, _ pattern: String) -> String {
            let members = (0..<count).map { "\"p\($0)\":{\"pattern\":\"\(pattern)\"}" }.joined(separator: ",")
            return "{\"properties\":{\(members)}}"
        }
        #expect(try failure(patterns(100, "a")) == nil)
        #expect(try failure(patterns(101, "a"))?.reason.contains("one pattern too many") == true)
        #expect(try failure(patterns(2, "a{900}")) == nil)
        #expect(try failure(patterns(30, "a{900}"))?.reason.contains("too large") == true)
        let weight = try JSONSchema.weight(of: try JSONReader.parse(patterns(3, "ab")))
        #expect(weight.patterns == 3)
        #expect(weight == (try Sample(patterns(3, "ab")).schema.weight))
    }
}
