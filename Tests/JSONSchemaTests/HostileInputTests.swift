import Glibc
import JSONSchema
import Primitives
import TestSupport
import Testing

@Suite("JSON Schema: the size of hostile schemas and values bounds their cost")
struct HostileInputTests {
    /// A limit far above the needed time; an exponential check would take years.
    private func expectSoon(_ work: () throws -> Void) rethrows {
        #expect(try ContinuousClock().measure(work) < .seconds(60))
    }

    @Test("References that fan out are each visited once")
    func fanOut() throws {
        let steps = 30
        var definitions = ["\"d\(steps)\":{\"type\":\"string\"}"]
        for step in 0..<steps {
            let next = "{\"$ref\":\"#/$defs/d\(step + 1)\"}"
            // A step in place is two or three schemas deep. Every fourth step descends into the value.
            definitions.append(
                step % 4 == 3
                    ? "\"d\(step)\":{\"items\":{\"allOf\":[\(next),\(next)]}}"
                    : "\"d\(step)\":{\"anyOf\":[{\"not\":\(next)},\(next)]}")
        }
        let sample = try Sample("{\"$defs\":{\(definitions.joined(separator: ","))},\"$ref\":\"#/$defs/d0\"}")
        try expectSoon { _ = try sample.violation("[[[[[[[[1,2],[3]]]]]]]]") }
    }

    @Test("A long name above many schemas is stored once, and references through it resolve")
    func longNames() throws {
        let name = String(repeating: "n", count: 200_000)
        let members = (0..<4_900).map { #""p\#($0)":{}"# }.joined(separator: ",")
        let long = "\"\(name)\":{\"properties\":{\(members)}}"
        let text = ##"{"$ref":"#/properties/a~1b~0","properties":{"a/b~":{"type":"object"},\##(long)}}"##
        let value = try JSONReader.parse(text)
        let before = Self.peakMemory
        let schema = try JSONSchema(compiling: value)
        // The pointers of all subschemas together are 980 MB.
        #expect(Self.peakMemory - before < 500_000_000)
        #expect(schema.validate([:]) == nil)
        #expect(schema.validate(1) != nil)
    }

    /// Peak memory of the process, in bytes.
    private static var peakMemory: Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return usage.ru_maxrss * 1024
    }

    @Test("A value nested too deeply is refused")
    func deepValues() throws {
        let schema = try JSONSchema(compiling: ["items": ["$ref": "#"]])
        var value: JSONValue = [1]
        for _ in 1..<32 { value = [value] }
        #expect(schema.validate(value) == nil)
        for _ in 0..<500 { value = ["a": value] }
        #expect(schema.validate(value)?.english.hasSuffix("is nested deeper than 32 levels") == true)
    }

    @Test("The deepest schema is checked against the deepest value without overflow")
    func deepestWork() throws {
        var chain: JSONValue = ["items": ["$ref": "#"], "additionalProperties": ["$ref": "#"]]
        for _ in 0..<15 { chain = ["anyOf": [chain, false]] }
        let schema = try JSONSchema(compiling: chain)
        var value: JSONValue = [1]
        for _ in 1..<32 { value = [value] }
        #expect(schema.validate(value) == nil)
    }

    @Test("Schemas that are too deep, too many or chained too long are refused")
    func schemaLimits() throws {
        var deep: JSONValue = true
        for _ in 0..<400 { deep = ["not": deep] }
        #expect(throws: JSONSchema.Failure.self) { try JSONSchema(compiling: deep) }
        let many = Array(repeating: JSONValue.bool(true), count: 6_000)
        #expect(throws: JSONSchema.Failure.self) { try JSONSchema(compiling: ["prefixItems": .array(many)]) }
        let chain = (0..<1_000).map { "\"d\($0)\":{\"$ref\":\"#/$defs/d\($0 + 1)\"}" }.joined(separator: ",")
        #expect(try failure("{\"$defs\":{\(chain),\"d1000\":{}}}")?.reason.contains("chain") == true)
    }

    @Test("uniqueItems and enum on large arrays compare by hash")
    func largeArrays() throws {
        let unique = try JSONSchema(compiling: ["uniqueItems": true])
        var elements = (0..<50_000).map { JSONValue.object(["id": JSONValue(integerLiteral: $0), "k": "v"]) }
        expectSoon { #expect(unique.validate(.array(elements)) == nil) }
        elements.append(["k": "v", "id": 49_999])
        #expect(unique.validate(.array(elements))?.keyword == "uniqueItems")

        let constants = (0..<20_000).map { JSONValue(integerLiteral: $0) }
        let listed = try JSONSchema(compiling: ["items": ["enum": .array(constants)]])
        expectSoon { #expect(listed.validate(.array(constants)) == nil) }
    }

    @Test("Objects with many members are checked in time linear in them")
    func largeObjects() throws {
        let members = (0..<20_000).map { "\"m\($0)\":\($0)" }.joined(separator: ",")
        let value = "{\(members)}"
        let sample = try Sample(
            #"{"patternProperties":{"^m\\d+$":{"type":"integer"}},"additionalProperties":false,"required":["m19999"]}"#)
        try expectSoon { () throws in #expect(try sample.violation(value) == nil) }
    }

    @Test("Numbers with huge exponents or many digits cost only their length")
    func hugeNumbers() throws {
        let sample = try Sample(#"{"type":"integer","multipleOf":3,"minimum":0}"#)
        let digits = String(repeating: "3", count: 100_000)
        try expectSoon { () throws in
            #expect(try sample.violation(digits) == nil)
            #expect(try sample.violation("3e999999999") == nil)
            #expect(try sample.violation("1e999999999")?.keyword == "multipleOf")
        }
        #expect(try sample.violation("1e1000000000")?.english == "the value must have an exponent of at most 9 digits")
        #expect(try sample.violation("3e00000000000000000001") == nil)
    }

    @Test("Property: no random schema or value traps, and allOf [s, not s] accepts nothing")
    func randomSchemas() throws {
        var random = Seeded(state: 3)
        var compiled = 0
        for _ in 0..<1_500 {
            let schema = Self.randomSchema(depth: 3, using: &random)
            guard let sample = try? JSONSchema(compiling: schema) else { continue }
            compiled += 1
            let contradiction = try JSONSchema(compiling: ["allOf": [schema, ["not": schema]]])
            let choice = try JSONSchema(compiling: ["oneOf": [schema, ["not": schema]]])
            for _ in 0..<4 {
                let value = Self.randomValue(depth: 3, using: &random)
                _ = sample.validate(value)
                #expect(contradiction.validate(value) != nil)
                #expect(choice.validate(value) == nil)
                let same = try JSONSchema(compiling: ["const": value])
                #expect(same.validate(value) == nil)
            }
        }
        #expect(compiled > 700)
    }

    private static func randomValue(depth: Int, using random: inout Seeded) -> JSONValue {
        switch Int.random(in: 0...(depth == 0 ? 4 : 7), using: &random) {
        case 0: return nil
        case 1: return .bool(Bool.random(using: &random))
        case 2, 3: return .number(JSONNumber(Int.random(in: -3...3, using: &random)))
        case 4: return .string(["", "a", "ab", "é"].randomElement(using: &random) ?? "")
        case 5: return .array((0..<3).map { _ in randomValue(depth: depth - 1, using: &random) })
        default:
            var object = JSONObject()
            for name in ["a", "b", "c"] where Bool.random(using: &random) {
                object[name] = randomValue(depth: depth - 1, using: &random)
            }
            return .object(object)
        }
    }

    private static let keywords = [
        "type", "properties", "additionalProperties", "items", "prefixItems", "contains", "allOf", "anyOf", "oneOf",
        "not",
        "if", "then", "else", "required", "enum", "uniqueItems", "propertyNames", "minLength", "$ref", "unknown",
    ]

    private static func randomSchema(depth: Int, using random: inout Seeded) -> JSONValue {
        if depth == 0 {
            return [true, false, ["type": "string"], ["minimum": 0]].randomElement(using: &random) ?? true
        }
        var object = JSONObject()
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            func next() -> JSONValue { randomSchema(depth: depth - 1, using: &random) }
            let name = keywords.randomElement(using: &random) ?? "type"
            object[name] =
                switch name {
                case "type": ["object", "string"]
                case "properties": ["a": next(), "b": next()]
                case "prefixItems", "allOf", "anyOf", "oneOf": [next(), next()]
                case "required": ["a"]
                case "enum": [1, "a", [:]]
                case "uniqueItems": true
                case "propertyNames": ["pattern": "^[ab]$"]
                case "minLength", "unknown": 1
                case "$ref": "#"
                default: next()
                }
        }
        return .object(object)
    }
}
