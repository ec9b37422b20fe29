import Foundation
import JSONSchema
import Primitives
import TestSupport
import Testing

@Suite("Labels, order and formats that a schema declares for people")
struct SchemaPresentationTests {
    private func nodes(_ schema: String, _ value: String) throws -> JSONValue {
        let schema = try JSONReader.parse(schema, depthLimit: 200)
        let object = try #require(try JSONReader.parse(value, depthLimit: 200).objectValue)
        return .array(SchemaPresentation.nodes([(object, schema)]).map(JSONValue.object))
    }

    private func expect(
        _ schema: String, of value: String, is expected: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let nodes = try nodes(schema, value)
        #expect(nodes == (try JSONReader.parse(expected)), sourceLocation: sourceLocation)
    }

    @Test("Validation 9.1: title and description become label and description, and format is kept")
    func annotations() throws {
        try expect(
            #"""
            {"title":"Payment","description":"Moves money","properties":{
              "amount":{"title":"Amount","format":"money"},"due":{"format":"date"},"note":{"description":"Free text"}}}
            """#, of: #"{"amount":1,"due":"2026-01-31","note":""}"#,
            is: #"""
                [{"label":"Payment","description":"Moves money","members":{
                  "amount":{"label":"Amount","format":"money"},"due":{"format":"date"},
                  "note":{"description":"Free text"}}}]
                """#)
    }

    @Test("Only members that the value has are named")
    func present() throws {
        let schema = #"{"properties":{"a":{"title":"A","x-order":2},"b":{"title":"B","x-order":1}}}"#
        try expect(schema, of: #"{"a":1,"c":2}"#, is: #"[{"order":["a"],"members":{"a":{"label":"A"}}}]"#)
        try expect(schema, of: #"{"c":2}"#, is: "[]")
        try expect(#"{"items":{"title":"A"}}"#, of: #"{"c":[]}"#, is: "[]")
    }

    @Test("x-order sorts by number, also negative and fractional ones; equal numbers keep the value's order")
    func order() throws {
        try expect(
            #"""
            {"properties":{"a":{"x-order":10},"b":{"x-order":-1},"c":{"x-order":1.5},"d":{"x-order":1.5},
              "e":{"x-order":1e999},"f":{}}}
            """#, of: #"{"f":1,"e":1,"d":1,"c":1,"b":1,"a":1}"#, is: #"[{"order":["b","d","c","a","e"]}]"#)
    }

    @Test("x-translations gives labels and descriptions by language")
    func translations() throws {
        try expect(
            #"""
            {"properties":{"to":{"title":"To","description":"Who gets it",
              "x-translations":{"de":{"title":"An","description":"Wer es bekommt"},"fr":{"title":"À"}}}}}
            """#, of: #"{"to":"Han"}"#,
            is: #"""
                [{"members":{"to":{"label":"To","labels":{"de":"An","fr":"À"},"description":"Who gets it",
                  "descriptions":{"de":"Wer es bekommt"}}}}]
                """#)
    }

    @Test("x-headline and x-groupable of the whole are in the node of the whole, also behind $ref and allOf")
    func headline() throws {
        let own = #""properties":{"sum":{},"to":{}},"x-headline":["sum","to"],"x-groupable":true"#
        let node = #"[{"headline":["sum","to"],"groupable":true}]"#
        try expect("{\(own)}", of: "{}", is: node)
        try expect(##"{"$ref":"#/$defs/a","$defs":{"a":{\##(own)}}}"##, of: "{}", is: node)
        try expect("{\"properties\":{\"a\":{\(own)}}}", of: #"{"a":{"sum":1}}"#, is: "[]")
    }

    @Test(
        "x-headline names 1 to 4 declared members of the whole, and x-groupable is true or false",
        arguments: [
            (#"{"properties":{"a":{}},"x-headline":[]}"#, "/x-headline"),
            (#"{"properties":{"a":{}},"x-headline":"a"}"#, "/x-headline"),
            (#"{"properties":{"a":{}},"x-headline":["a",1]}"#, "/x-headline"),
            (#"{"properties":{"a":{}},"x-headline":["a","a","a","a","a"]}"#, "/x-headline"),
            (#"{"properties":{"a":{}},"x-headline":["a","b"]}"#, "/x-headline"),
            (#"{"x-headline":["a"]}"#, "/x-headline"),
            (#"{"properties":{"a":{"properties":{"b":{}},"x-headline":["b"]}}}"#, "/properties/a/x-headline"),
            (#"{"x-groupable":"yes"}"#, "/x-groupable"),
            (#"{"properties":{"a":{"x-groupable":true}}}"#, "/properties/a/x-groupable"),
        ])
    func refusedHeadline(schema: String, pointer: String) throws {
        let schema = try JSONReader.parse(schema)
        let failure = #expect(throws: JSONSchema.Failure.self) { try JSONSchema(compiling: schema) }
        #expect(failure?.pointer == pointer)
    }

    @Test("Objects and arrays are walked, and all elements of an array share one node")
    func nested() throws {
        try expect(
            #"""
            {"properties":{"trip":{"title":"Trip","properties":{"legs":{"title":"Legs","items":{"title":"Leg",
              "properties":{"from":{"title":"From","x-order":1},"to":{"title":"To","x-order":2},
                "by":{"title":"By"}}}}}}}}
            """#, of: #"{"trip":{"legs":[{"to":"FCO"},{"from":"ZRH","to":"FCO"},7]}}"#,
            is: #"""
                [{"members":{"trip":{"label":"Trip","members":{"legs":{"label":"Legs","items":{"label":"Leg",
                  "order":["from","to"],"members":{"to":{"label":"To"},"from":{"label":"From"}}}}}}}}]
                """#)
    }

    @Test("Core 8.2.3.1: $ref adds another schema's annotations, and the nearest texts win with their translations")
    func references() throws {
        try expect(
            #"""
            {"properties":{"fee":{"$ref":"#/$defs/money","title":"Fee"},"sum":{"$ref":"#/$defs/money"},
              "odd":{"$ref":"#/$defs/a~1b%20c"}},
             "$defs":{"money":{"title":"Money","format":"money","x-translations":{"de":{"title":"Geld"}},
              "properties":{"amount":{"title":"Amount"}}},"a/b c":{"title":"Odd"}}}
            """#, of: #"{"fee":{"amount":"1"},"sum":{},"odd":1}"#,
            is: #"""
                [{"members":{"fee":{"label":"Fee","format":"money","members":{"amount":{"label":"Amount"}}},
                  "sum":{"label":"Money","labels":{"de":"Geld"},"format":"money"},"odd":{"label":"Odd"}}}]
                """#)
        try expect(
            ##"{"allOf":[{"title":"A"},{"title":"B","properties":{"x":{"title":"X"}}}]}"##, of: #"{"x":1}"#,
            is: #"[{"label":"A","members":{"x":{"label":"X"}}}]"#)
    }

    @Test("Each value has a node at its place; if no schema declares anything, there are none")
    func parallel() throws {
        let labelled: JSONValue = ["title": "A"]
        #expect(
            SchemaPresentation.nodes([([:], nil), ([:], labelled), ([:], ["type": "object"])])
                == [[:], ["label": "A"], [:]])
        #expect(SchemaPresentation.nodes([([:], nil), (["x": 1], ["type": "object"]), ([:], true)]).isEmpty)
        #expect(SchemaPresentation.nodes([]).isEmpty)
    }

    @Test(
        "Annotations of another type declare nothing",
        arguments: [
            #"{"title":1,"description":[],"format":{},"x-order":"1","x-translations":[]}"#,
            #"{"title":"","description":null,"x-translations":{"de":"x","fr":{"title":2}}}"#,
            #"{"properties":[1],"items":{"title":"x"}}"#, #"{"properties":{"a":7,"b":[],"c":true}}"#,
            ##"{"$ref":7,"allOf":{"title":"x"}}"##, ##"{"$ref":"https://example.com/"}"##,
            ##"{"$ref":"#/$defs/none"}"##,
            ##"{"$ref":"#/%zz"}"##, ##"{"$ref":"#/title/0","title":null}"##, ##"{"$ref":"#/enum/9","enum":[1]}"##,
            "true", "[]", "7",
        ])
    func otherTypes(schema: String) throws {
        try expect(schema, of: #"{"a":1,"b":{},"c":[{}]}"#, is: "[]")
    }

    @Test("References in circles and towers of allOf end within the limits", .timeLimit(.minutes(1)))
    func hostileReferences() throws {
        let circles = [
            ##"{"$ref":"#"}"##, ##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
            ##"{"allOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}]}"##,
        ]
        for schema in circles { #expect(try nodes(schema, #"{"a":1}"#) == [], "\(schema)") }
        // Each level of the value goes around once more.
        var value = "1"
        for _ in 0..<60 { value = #"{"a":\#(value)}"# }
        _ = try nodes(##"{"properties":{"a":{"$ref":"#"}},"title":"T"}"##, value)
        try expect(
            ##"{"properties":{"a":{"$ref":"#","title":"Inner"}},"title":"T"}"##, of: #"{"a":{"a":1}}"#,
            is: #"[{"label":"T","members":{"a":{"label":"Inner","members":{"a":{"label":"Inner"}}}}}]"#)
    }

    @Test("Beyond the limits of bytes and steps there is no presentation at all", .timeLimit(.minutes(1)))
    func limits() throws {
        let long = String(repeating: "x", count: SchemaPresentation.byteLimit - 100)
        #expect(try nodes(#"{"title":"\#(long)"}"#, "{}") != [])
        let tooLong = String(repeating: "x", count: SchemaPresentation.byteLimit)
        #expect(try nodes(#"{"title":"\#(tooLong)"}"#, "{}") == [])
        // Written with escapes, they are six times as long.
        let control = String(repeating: #"\u0001"#, count: SchemaPresentation.byteLimit / 4)
        #expect(try nodes(#"{"title":"\#(control)"}"#, "{}") == [])
        // One text, which many members refer to.
        let names = (0..<400).map { "m\($0)" }
        let members = names.map { ##""\##($0)":{"$ref":"#/$defs/t"}"## }.joined(separator: ",")
        let shared = String(repeating: "x", count: 1000)
        let value = "{" + names.map { #""\#($0)":1"# }.joined(separator: ",") + "}"
        #expect(try nodes(#"{"properties":{\#(members)},"$defs":{"t":{"title":"\#(shared)"}}}"#, value) == [])
        // Many names, each of which is looked for among many.
        let properties = (0..<5000).map { #""p\#($0)":{"title":"P"}"# }.joined(separator: ",")
        #expect(try nodes(#"{"properties":{\#(properties)}}"#, value) == [])
        let languages = (0..<3000).map { #""l\#($0)":{"title":"L"}"# }.joined(separator: ",")
        #expect(try nodes(#"{"x-translations":{\#(languages)}}"#, "{}") == [])
    }

    @Test("All values share the limits")
    func sharedLimits() throws {
        let text = String(repeating: "x", count: SchemaPresentation.byteLimit / 3)
        let value: (JSONObject, JSONValue?) = ([:], ["title": .string(text)])
        #expect(SchemaPresentation.nodes([value, value]).count == 2)
        #expect(SchemaPresentation.nodes([value, value, value]).isEmpty)
    }

    @Test("x-order, x-translations, money and account assert nothing")
    func assertNothing() throws {
        let money = #"{"x-order":1.5,"x-translations":{"de":{"title":"A","description":"B"}},"format":"money"}"#
        try Sample(money).expect(valid: ["1", #""x""#, #"{"currency":5}"#, "null"], invalid: [])
        try Sample(#"{"format":"account"}"#).expect(valid: [#""not an account""#, "7"], invalid: [])
    }

    @Test(
        "x-order must be a number and x-translations an object of titles and descriptions",
        arguments: [
            #"{"x-order":"1"}"#: "/a/x-order", #"{"x-order":null}"#: "/a/x-order",
            #"{"x-translations":[]}"#: "/a/x-translations", #"{"x-translations":{"de":"An"}}"#: "/a/x-translations",
            #"{"x-translations":{"de":{}}}"#: "/a/x-translations",
            #"{"x-translations":{"de":{"title":1}}}"#: "/a/x-translations",
            #"{"x-translations":{"de":{"title":"An","label":"x"}}}"#: "/a/x-translations",
            #"{"x-labels":{}}"#: "/a/x-labels", #"{"format":"iban"}"#: "/a/format",
        ])
    func refused(schema: String, pointer: String) throws {
        #expect(try failure(#"{"properties":{"a":\#(schema)}}"#)?.pointer == "/properties\(pointer)")
    }

    @Test("The guide's schema is accepted and gives the presentation that the guide shows")
    func guide() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/apply.md")
        let section = try #require(
            try String(contentsOf: path, encoding: .utf8).components(separatedBy: "### How phones show details\n").last)
        let blocks = section.components(separatedBy: "```json\n").dropFirst()
            .prefix(3).map { String($0.components(separatedBy: "\n```")[0]) }
        try #require(blocks.count == 3)
        let schema = try JSONReader.parse(blocks[0])
        let details = try #require(try JSONReader.parse(blocks[1]).arrayValue)
        let compiled = try JSONSchema(compiling: schema)
        for detail in details { #expect(compiled.validate(detail) == nil) }
        let nodes = SchemaPresentation.nodes(details.compactMap(\.objectValue).map { ($0, schema) })
        #expect(.array(nodes.map(JSONValue.object)) == (try JSONReader.parse(blocks[2])))
    }
}
