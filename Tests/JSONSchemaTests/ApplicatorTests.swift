import JSONSchema
import Primitives
import TestSupport
import Testing

@Suite("JSON Schema 2020-12 Core: schemas in schemas")
struct ApplicatorTests {
    @Test("4.3.2: true and {} accept every value, false accepts none")
    func booleans() throws {
        try expect("true", valid: ["1", "{}"])
        try expect("{}", valid: ["1", "{}"])
        try expect("false", invalid: ["1", "null"])
    }

    @Test("8.2.3 and 8.2.4: $ref points into the schema, through escapes, beside other keywords")
    func references() throws {
        let schema = ##"""
            {"$defs":{"a/b":{"type":"string"},"c~d":{"minLength":2},"e f":{"$ref":"#/$defs/a~1b"}},
             "properties":{"x":{"$ref":"#/$defs/e%20f","maxLength":3},
                "y":{"$ref":"#/$defs/c~0d"},"z":{"$ref":"#/properties/x"}}}
            """##
        try expect(
            schema, valid: [#"{"x":"abc","y":"ab","z":"a"}"#],
            invalid: [#"{"x":1}"#, #"{"x":"abcd"}"#, #"{"y":"a"}"#, #"{"z":"abcd"}"#])
        for target in ["#/$defs/b", "other.json", "#anchor", "#/type", "https://example.com/#", "#/%zz"] {
            let failure = try failure("{\"$defs\":{\"a\":{}},\"type\":\"object\",\"not\":{\"$ref\":\"\(target)\"}}")
            #expect(failure?.pointer == "/not/$ref", "\(target)")
        }
    }

    @Test("8.2.3.1: recursion through the value ends with the value")
    func recursion() throws {
        let tree = ##"{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}"##
        try expect(
            tree, valid: [#"{"next":{"next":{"next":{}}}}"#], invalid: [#"{"next":{"next":{"other":{}}}}"#])
    }

    @Test("9.4.1: a schema that refers to itself in place is refused")
    func cycles() throws {
        for schema in [
            ##"{"$ref":"#"}"##,
            ##"{"allOf":[{"anyOf":[{"$ref":"#"}]}]}"##,
            ##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"not":{"$ref":"#/$defs/a"}}}}"##,
            ##"{"if":true,"else":{"$ref":"#"}}"##,
            ##"{"dependentSchemas":{"a":{"oneOf":[{"$ref":"#"}]}}}"##,
        ] {
            #expect(try failure(schema)?.keyword == "$ref", "\(schema)")
        }
    }

    @Test("10.2.1: allOf, anyOf, oneOf, not")
    func logic() throws {
        try expect(#"{"allOf":[{"minimum":1},{"maximum":3}]}"#, valid: ["2"], invalid: ["0", "4"])
        try expect(#"{"anyOf":[{"maximum":1},{"minimum":3}]}"#, valid: ["0", "4"], invalid: ["2"])
        try expect(#"{"oneOf":[{"multipleOf":2},{"multipleOf":3}]}"#, valid: ["2", "3"], invalid: ["5", "6"])
        try expect(#"{"not":{"type":"string"}}"#, valid: ["1"], invalid: ["\"\""])
        for keyword in ["allOf", "anyOf", "oneOf"] {
            #expect(try failure("{\"\(keyword)\":[]}")?.pointer == "/\(keyword)")
            #expect(try failure("{\"\(keyword)\":[true,1]}")?.pointer == "/\(keyword)/1")
        }
    }

    @Test("10.2.2: if selects then or else; dependentSchemas applies if the member is present")
    func conditions() throws {
        let schema = #"{"if":{"properties":{"k":{"const":"a"}}},"then":{"required":["x"]},"else":{"required":["y"]}}"#
        try expect(
            schema, valid: [#"{"k":"a","x":1}"#, #"{"k":"b","y":1}"#, #"{"x":1}"#],
            invalid: [#"{"k":"a","y":1}"#, #"{"k":"b","x":1}"#])
        try expect(#"{"then":false,"else":false}"#, valid: ["1"])
        try expect(
            #"{"dependentSchemas":{"a":{"minProperties":2}}}"#, valid: [#"{"b":1}"#, #"{"a":1,"b":1}"#],
            invalid: [#"{"a":1}"#])
    }

    @Test("10.3.1: prefixItems, items, contains")
    func elements() throws {
        try expect(
            #"{"prefixItems":[{"type":"string"},{"type":"number"}],"items":{"type":"boolean"}}"#,
            valid: ["[]", "[\"a\"]", "[\"a\",1,true,false]"], invalid: ["[1]", "[\"a\",1,2]"])
        try expect(#"{"items":false}"#, valid: ["[]"], invalid: ["[1]"])
        #expect(try failure(#"{"items":[{}]}"#)?.reason.contains("prefixItems") == true)
    }

    @Test("10.3.2: properties, patternProperties, additionalProperties, propertyNames")
    func members() throws {
        let schema = #"""
            {"properties":{"a":{"type":"number"}},"patternProperties":{"^x-":{"type":"string"},"^a":{"minimum":1}},
             "additionalProperties":false}
            """#
        try expect(
            schema, valid: ["{}", #"{"a":1,"x-b":"c","ab":0.5e1}"#],
            invalid: [#"{"a":0}"#, #"{"a":"1"}"#, #"{"x-b":1}"#, #"{"b":1}"#])
        try expect(#"{"additionalProperties":{"type":"null"}}"#, valid: [#"{"a":null}"#], invalid: [#"{"a":1}"#])
        try expect(
            #"{"propertyNames":{"pattern":"^[a-z]+$","maxLength":3}}"#, valid: [#"{"abc":1}"#],
            invalid: [#"{"abcd":1}"#, #"{"A":1}"#, #"{"":1}"#])
    }

    @Test("6.5: an unknown, outdated or unsupported keyword is refused with its place")
    func unknownKeywords() throws {
        for keyword in [
            "minLenght", "definitions", "dependencies", "$anchor", "$dynamicRef", "unevaluatedProperties", "x-note",
        ] {
            let failure = try failure("{\"properties\":{\"a/b\":{\"\(keyword)\":1}}}")
            #expect(failure?.pointer == "/properties/a~1b/\(keyword)")
            #expect(failure?.keyword == keyword)
        }
        #expect(try failure(#"{"$schema":"http://json-schema.org/draft-07/schema#"}"#)?.keyword == "$schema")
        #expect(try failure(#"{"not":{"$id":"https://example.com/a"}}"#)?.pointer == "/not/$id")
    }

    @Test("Validation 9: annotations are ignored")
    func annotations() throws {
        let schema = #"""
            {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.com/s","$comment":"c",
             "title":"t","description":"d","default":1,"deprecated":true,"readOnly":true,"writeOnly":true,
             "examples":[1],"contentEncoding":"base64","contentMediaType":"text/plain","contentSchema":{}}
            """#
        try expect(schema, valid: ["1", "{}"])
    }

    @Test("A malformed keyword is refused with its place")
    func shapes() throws {
        let schemas = [
            "1": "", "[]": "", #"{"type":"text"}"#: "/type", #"{"type":[]}"#: "/type",
            #"{"type":["null","null"]}"#: "/type", #"{"enum":{}}"#: "/enum", #"{"minimum":"1"}"#: "/minimum",
            #"{"required":["a","a"]}"#: "/required", #"{"required":"a"}"#: "/required",
            #"{"dependentRequired":{"a":"b"}}"#: "/dependentRequired/a", #"{"properties":[]}"#: "/properties",
            #"{"properties":{"a":1}}"#: "/properties/a", #"{"patternProperties":{"(":true}}"#: "/patternProperties/(",
            #"{"items":1}"#: "/items", #"{"uniqueItems":1}"#: "/uniqueItems", #"{"format":1}"#: "/format",
            #"{"$defs":{"a":{"not":{"pattern":"["}}}}"#: "/$defs/a/not/pattern", #"{"then":1}"#: "/then",
            #"{"maxContains":-1}"#: "/maxContains", #"{"$ref":1}"#: "/$ref", #"{"pattern":1}"#: "/pattern",
        ]
        for (schema, pointer) in schemas { #expect(try failure(schema)?.pointer == pointer, "\(schema)") }
    }
}
