import Primitives
import Testing

@Suite("Writing JSON")
struct JSONWriterTests {
    @Test("RFC 8259 7: every character survives writing and reading")
    func characters() throws {
        var scalars = (0..<0x300).compactMap { Unicode.Scalar($0 as UInt32) }
        scalars += [0x2028, 0x2029, 0xFEFF, 0xFFFD, 0xFFFF, 0x1F600, 0x10FFFF].compactMap(Unicode.Scalar.init)
        var all = ""
        for scalar in scalars {
            let text = "a\(scalar)b"
            #expect(try JSONReader.parse(JSONWriter.bytes(.string(text))).stringValue == text)
            all.unicodeScalars.append(scalar)
        }
        #expect(try JSONReader.parse(JSONWriter.bytes(.string(all))).stringValue == all)
        #expect(JSONWriter.string("\"\\\n\r\t\u{1}\u{1F}/\u{7F}") == #""\"\\\n\r\t\u0001\u001f/"# + "\u{7F}\"")
    }

    @Test("A fixed shape is written like the equal value")
    func fixedShape() throws {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("a", "x")
            writer.member("none", ifPresent: nil)
            writer.member("n", -5)
            writer.member("wide", UInt64.max)
            writer.member("t", true)
            writer.member("list", ["p", "q"])
            writer.member("value", ["k": [1, nil, false]])
            writer.name("rows")
            writer.array { writer in
                writer.object { _ in }
                writer.array { _ in }
                writer.integer(1)
                writer.bool(false)
            }
        }
        let text =
            #"{"a":"x","n":-5,"wide":18446744073709551615,"t":true,"list":["p","q"],"#
            + #""value":{"k":[1,null,false]},"rows":[{},[],1,false]}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
        #expect(try JSONWriter.bytes(JSONReader.parse(writer.bytes)) == writer.bytes)
    }

    @Test("RFC 8259 4: objects are equal in any order, arrays only in the same order")
    func equality() throws {
        func parse(_ text: String) throws -> JSONValue { try JSONReader.parse(text) }
        #expect(try parse(#"{"a":1,"b":2}"#) == parse(#"{"b":2,"a":1}"#))
        #expect(try parse(#"{"a":1,"b":2}"#).hashValue == parse(#"{"b":2,"a":1}"#).hashValue)
        #expect(try parse(#"{"a":1}"#) != parse(#"{"a":2}"#))
        #expect(try parse(#"{"a":1}"#) != parse(#"{"b":1}"#))
        #expect(try parse("[1,2]") != parse("[2,1]"))
    }

    @Test("Setting a member keeps its place; setting nil removes it")
    func members() {
        var object: JSONObject = ["a": 1, "b": 2]
        object["a"] = 3
        object["c"] = 4
        object["b"] = nil
        object["z"] = nil
        #expect(JSONWriter.string(.object(object)) == #"{"a":3,"c":4}"#)
        #expect(JSONValue.object(object)["a"]?.intValue == 3 && JSONValue.array([1])[5] == nil)
    }
}
