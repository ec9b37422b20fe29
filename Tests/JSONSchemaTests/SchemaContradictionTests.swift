import JSONSchema
import Primitives
import TestSupport
import Testing

@Suite("Schemas that no object of a type matches")
struct SchemaContradictionTests {
    private func find(_ text: String) throws -> JSONSchema.Failure? {
        let schema = try JSONReader.parse(text, depthLimit: 200)
        return SchemaContradiction.find(
            in: schema, try JSONSchema(compiling: schema), objectsWith: ["type": "payment"])
    }

    private static let contradictory: [(schema: String, place: String)] = [
        (#"{"additionalProperties":false,"properties":{"amount":{}}}"#, #"at "" additionalProperties is false"#),
        (#"{"additionalProperties":false}"#, #"no "type", which every such object has"#),
        (#"{"properties":{"type":{"const":"y"}}}"#, #"at "/properties/type" const excludes "payment""#),
        (#"{"properties":{"type":{"enum":["a","b"]}}}"#, "enum excludes"),
        (#"{"properties":{"type":{"type":"integer"}}}"#, "type excludes"),
        (#"{"properties":{"type":{"maxLength":3}}}"#, "maxLength excludes"),
        (#"{"properties":{"type":false}}"#, "/properties/type"),
        (
            ##"{"$ref":"#/$defs/p","$defs":{"p":{"properties":{"type":{"const":"y"}}}}}"##,
            #"at "/$defs/p/properties/type""#
        ),
        (#"{"allOf":[{},{"properties":{"type":{"const":"y"}}}]}"#, #"at "/allOf/1/properties/type""#),
        (
            #"{"additionalProperties":false,"properties":{"type":{}},"required":["amount"]}"#,
            #"no "amount", which is required"#
        ),
        (
            #"""
            {"properties":{"to":{"type":"object","additionalProperties":false,"properties":{"iban":{}},
              "required":["bic"]}},"required":["to"]}
            """#, #"at "/properties/to" additionalProperties"#
        ),
        (#"{"type":"array"}"#, "must allow an object"),
        (#"{"properties":{"a":{"type":"string","const":5}},"required":["a"]}"#, "const has no value"),
        (#"{"properties":{"a":{"enum":["a","b"],"minLength":2}},"required":["a"]}"#, "enum has no value"),
        (
            #"{"allOf":[{"properties":{"a":{"type":"string"}}}],"properties":{"a":{"type":"array"}},"required":["a"]}"#,
            "type"
        ),
        (#"{"properties":{"a":false},"required":["a"]}"#, "/properties/a"),
    ]

    @Test("A rule that excludes every object is named with its place", arguments: contradictory)
    func refused(schema: String, place: String) throws {
        let failure = try #require(try find(schema), "\(schema)")
        #expect(failure.description.contains(place), "\(failure)")
    }

    private static let accepted = [
        "{}", "true", #"{"type":"object","required":["type"]}"#, #"{"properties":{"type":{"const":"payment"}}}"#,
        #"{"additionalProperties":false,"properties":{"type":{},"amount":{"type":"number"}},"required":["amount"]}"#,
        // Members that are not required may be impossible.
        #"{"properties":{"a":false,"b":{"type":"string","const":5}}}"#,
        // Examples of every type.
        #"""
        {"required":["a","b","c","d","e","f","g","h"],"properties":{"a":{"type":"integer","minimum":5,"multipleOf":3},
          "b":{"type":"string","minLength":40},"c":{"format":"date"},"d":{"type":"array","minItems":2,
          "items":{"type":"boolean"}},"e":{"enum":["x"]},"f":{"type":["null","string"]},"g":{"required":["z"]},
          "h":{"anyOf":[{"type":"object","required":["y"]}]}}}
        """#,
        // An example is beyond the search, and nothing is proved.
        #"{"required":["a"],"properties":{"a":{"pattern":"^[A-Z]{3}$"}}}"#,
        #"{"required":["a"],"properties":{"a":{"not":{"type":"string"}}}}"#,
        #"{"anyOf":[{"properties":{"type":{"const":"y"}}},{"properties":{"type":{"const":"payment"}}}]}"#,
        #"{"if":{"required":["a"]},"then":{"properties":{"type":{"const":"y"}}}}"#,
        #"{"additionalProperties":false,"patternProperties":{"^t":{}}}"#,
        ##"{"required":["a"],"properties":{"a":{"$ref":"#"}}}"##,
    ]

    @Test("Schemas that an object matches, or of which nothing is proved, are accepted", arguments: accepted)
    func passed(schema: String) throws { #expect(try find(schema) == nil) }

    @Test("Large schemas take bounded steps", .timeLimit(.minutes(1)))
    func bounded() throws {
        let branches = Array(repeating: ##"{"allOf":[{"$ref":"#/$defs/a"}]}"##, count: 2_000).joined(separator: ",")
        #expect(try find(#"{"$defs":{"a":{}},"allOf":[\#(branches)],"required":["a","b","c"]}"#) == nil)
    }

    @Test("Small schemas of huge examples, and long lists of values, take bounded steps", .timeLimit(.minutes(1)))
    func explosive() throws {
        let levels = (0..<10).map {
            ##""x\##($0)":{"type":"array","minItems":50,"items":{"$ref":"#/$defs/x\##($0 + 1)"}}"##
        }
        let defs = (levels + [##""x10":{"type":"string"}"##]).joined(separator: ",")
        #expect(try find(##"{"$defs":{\##(defs)},"required":["a"],"properties":{"a":{"$ref":"#/$defs/x0"}}}"##) == nil)
        let values = (0..<3_500).map { #""x\#($0)""# }.joined(separator: ",")
        for excluding in ["", #","allOf":[{"minLength":100}]"#] {
            #expect(
                try find(#"{"required":["a"],"properties":{"a":{"enum":[\#(values)]\#(excluding)}}}"#) == nil)
        }
        let names = (0..<2_001).map { #""n\#($0)""# }
        let members = names.map { "\($0):{}" }.joined(separator: ",")
        let refs = Array(repeating: ##"{"$ref":"#/$defs/a"}"##, count: 1_400).joined(separator: ",")
        let wide = ##""a":{"required":[\##(names.joined(separator: ","))],"properties":{\##(members)},"##
        #expect(try find(##"{"$defs":{\##(wide)"additionalProperties":false}},"allOf":[\##(refs)]}"##) == nil)
        let many = Array(repeating: ##"{"$ref":"#/$defs/e"}"##, count: 1_000).joined(separator: ",")
        #expect(
            try find(
                ##"{"$defs":{"e":{"enum":[\##(values)]}},"required":["a"],"properties":{"a":{"const":1,"allOf":[\##(many)]}}}"##
            ) == nil)
    }

    @Test("RFC 5646: languages of x-translations are tags, or nobody sees the texts")
    func languages() throws {
        func unusable(_ language: String) throws -> JSONSchema.Failure? {
            try JSONSchema(
                compiling: ["properties": ["a": ["x-translations": .object([language: ["title": "A"]])]]]).unusable
        }
        for language in ["de", "de-CH", "fra", "zh-Hant-TW", "EN"] {
            #expect(try unusable(language) == nil, "\(language)")
        }
        for language in ["deutsch", "d", "", "de_CH", "de-", "d3"] {
            #expect(try unusable(language)?.pointer == "/properties/a/x-translations", "\(language)")
        }
    }
}
