import Primitives
import Testing

@Suite("Reading JSON (RFC 8259)")
struct JSONReaderTests {
    @Test(
        "RFC 8259: valid JSON",
        arguments: [
            "null", "true", "false", "0", "-0", "1.5", "-1.5e10", "1E+2", "1e-2", "1e400", "\"\"", "[]", "{}", " [ ] ",
            "\t{\r\n}\n", "[1,2]", #"{"a":1,"b":{"a":2}}"#, #""\"\\\/\b\f\n\r\t\u0000""#, #""\ud83d\ude00""#,
            "\"\u{7F}\"", "\"\u{10FFFF}\"", #"{"":1}"#, "12345678901234567890123456789012345678901234567890",
        ])
    func accepted(text: String) { #expect(throws: Never.self) { try JSONReader.parse(text) } }

    @Test(
        "RFC 8259: invalid JSON",
        arguments: [
            "", " ", "nul", "nulll", "True", "tru", "+1", "01", "-01", "1.", ".5", "-", "-a", "1e", "1e+", "0x1", "1_0",
            "NaN",
            "Infinity", "-Infinity", "\"", "\"a", "'a'", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\n\"", "\"\t\"",
            "\"\u{0}\"",
            "\"\u{1F}\"", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{", "}", "{a:1}", "{\"a\"}", "{\"a\":}",
            "{\"a\":1,}", "{,}", "{\"a\":1 \"b\":2}", "{1:2}", "[1]]", "1 2", "{}x", "\u{FEFF}{}", "//", "/**/1",
            "\u{A0}1",
            #""\ud800""#, #""\udc00""#, #""\ud800\ud800""#, #""\ud800a""#, #""\udc00\ud800""#, #""\ud800\n""#,
            #""\ud800\u"#,
            #""\"#, #""\u"#, #""\u0"#,
        ])
    func refused(text: String) { #expect(throws: JSONReader.Failure.self) { try JSONReader.parse(text) } }

    @Test(
        "RFC 3629: overlong, surrogate, truncated and out-of-range UTF-8 is refused",
        arguments: [
            [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xC3], [0xE2, 0x82], [0x80], [0xFF], [0xFE],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(throws: JSONReader.Failure.self) { try JSONReader.parse([quote] + bytes + [quote]) }
        #expect(throws: JSONReader.Failure.self) {
            try JSONReader.parse([quote, 0x5C, 0x6E] + bytes + [quote])
        }
        #expect(throws: JSONReader.Failure.self) { try JSONReader.parse(bytes) }
    }

    @Test(
        "RFC 8259 4: a repeated name is refused, also in another spelling",
        arguments: [
            #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"x":{"a":1,"b":2,"a":3}}"#, "{\"\u{E9}\":1,\"e\u{301}\":2}",
        ])
    func duplicates(text: String) {
        let failure = #expect(throws: JSONReader.Failure.self) { try JSONReader.parse(text) }
        guard case .duplicateName = failure else {
            Issue.record("\(String(describing: failure)) is about something else")
            return
        }
    }

    @Test("A repeated name is found among many")
    func duplicateAmongMany() throws {
        for count in [15, 16, 17, 18, 500] {
            let members = (0..<count).map { "\"n\($0)\":\($0)" }
            let value = try JSONReader.parse("{\(members.joined(separator: ","))}")
            #expect(value.objectValue?.count == count)
            for position in [0, count / 2, count - 1] {
                let repeated = members + ["\"n\(position)\":0"]
                #expect(throws: JSONReader.Failure.duplicateName("n\(position)")) {
                    try JSONReader.parse("{\(repeated.joined(separator: ","))}")
                }
            }
        }
    }

    @Test("Arrays and objects nest up to the limit")
    func depth() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try JSONReader.parse(nested(32))
        #expect(throws: JSONReader.Failure.tooDeep(limit: 32)) { try JSONReader.parse(nested(33)) }
        #expect(throws: JSONReader.Failure.tooDeep(limit: 32)) {
            try JSONReader.parse(String(repeating: "{\"a\":", count: 100_000))
        }
        #expect(throws: JSONReader.Failure.tooDeep(limit: 1)) { try JSONReader.parse("[{}]", depthLimit: 1) }
    }

    @Test("A failure has its position")
    func offset() {
        #expect(throws: JSONReader.Failure.syntax(offset: 6, "a value was expected")) {
            try JSONReader.parse("{\"a\": x}")
        }
    }

    @Test("Numbers keep their spelling and have a value if it is representable")
    func numbers() throws {
        func number(_ text: String) throws -> JSONNumber {
            guard case .number(let number) = try JSONReader.parse(text) else {
                throw JSONReader.Failure.tooDeep(limit: 0)
            }
            return number
        }
        #expect(try number("12.50").literal == "12.50")
        #expect(try number("-0").intValue == 0)
        #expect(try number("1.0").intValue == 1)
        #expect(try number("1e3").intValue == 1000)
        #expect(try number("1.5").intValue == nil)
        #expect(try number("1e400").intValue == nil)
        #expect(try number("1e400").doubleValue == .infinity)
        #expect(try number("9223372036854775807").intValue == Int.max)
        #expect(try number("9223372036854775808").intValue == nil)
        #expect(try number("-9223372036854775808").intValue == Int.min)
        #expect(try number("1e300").intValue == nil)
        #expect(JSONNumber(Double.nan) == nil && JSONNumber(Double.infinity) == nil)
        #expect(JSONNumber(0.1)?.literal == "0.1" && JSONNumber(1e21)?.doubleValue == 1e21)
        #expect(JSONNumber(-0.0)?.doubleValue == 0)
    }

    @Test("Escapes are decoded")
    func escapes() throws {
        let value = try JSONReader.parse(#""\u0041\u00e9\u20ac\ud83d\ude00\/\u0000""#)
        #expect(value.stringValue == "A\u{E9}\u{20AC}\u{1F600}/\u{0}")
    }
}
