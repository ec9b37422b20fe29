import JSONSchema
import Primitives
import TestSupport
import Testing

@Suite("JSON Schema 2020-12 Validation: assertions")
struct ValidationTests {
    @Test("6.1.1 type: each name accepts only its values; integer accepts a whole number in any spelling")
    func type() throws {
        let samples = [
            "null": "null", "boolean": "true", "object": "{}", "array": "[]", "number": "1.5", "string": "\"1\"",
        ]
        for (name, sample) in samples {
            try expect(
                "{\"type\":\"\(name)\"}", valid: [sample], invalid: samples.values.filter { $0 != sample })
        }
        try expect(
            #"{"type":"integer"}"#,
            valid: ["1", "-0", "1.0", "1e3", "12.50e1", "1e999999999", "-3.000"],
            invalid: ["1.5", "1e-1", "12.345e2", "\"1\""])
        try expect(#"{"type":["string","null"]}"#, valid: ["\"a\"", "null"], invalid: ["1", "[]"])
    }

    @Test("6.1.2 enum and 6.1.3 const: equal by value, objects in any order, strings code point for code point")
    func constants() throws {
        try expect(
            #"{"enum":[1,"1",{"a":1,"b":[true,null]}]}"#,
            valid: ["1", "1.0", "10e-1", "\"1\"", #"{"b":[true,null],"a":1.00}"#],
            invalid: ["true", "2", #"{"a":1}"#, #"{"a":1,"b":[null,true]}"#, #"{"a":1,"b":[true,null],"c":1}"#])
        try expect(#"{"const":false}"#, valid: ["false"], invalid: ["0", "null", "[]", "\"\""])
        try expect(#"{"const":0}"#, valid: ["-0", "0.0", "0e7"], invalid: ["false", "1e-999999999"])
        try expect(#"{"const":"\u00e9"}"#, valid: ["\"é\""], invalid: [#""e\u0301""#])
    }

    @Test("6.2.1 multipleOf is exact in decimals")
    func multipleOf() throws {
        try expect(
            #"{"multipleOf":0.01}"#,
            valid: ["0", "0.07", "19.99", "1e400", "-4.350", "4.35", "1.1", "12345678901234567890123456789.01"],
            invalid: ["0.001", "19.999", "1e-3", "12345678901234567890123456789.011"])
        try expect(#"{"multipleOf":0.1}"#, valid: ["0.3"], invalid: ["0.35"])
        try expect(#"{"multipleOf":7}"#, valid: ["0", "-21", "7e300"], invalid: ["1e300", "7.5"])
        try expect(#"{"multipleOf":1e3}"#, valid: ["5000", "5e6"], invalid: ["500", "5e2"])
        for schema in ["0", "-1", "\"1\"", "1234567890123456789.5"] {
            #expect(try failure("{\"multipleOf\":\(schema)}")?.pointer == "/multipleOf")
        }
    }

    @Test("6.2.2 to 6.2.5: limits are exact beyond a double's precision")
    func limits() throws {
        try expect(
            #"{"minimum":9007199254740993}"#, valid: ["9007199254740993", "1e17"],
            invalid: ["9007199254740992", "9007199254740992.9999"])
        try expect(
            #"{"maximum":-0.1}"#, valid: ["-0.1", "-0.10000000000000000001", "-5"], invalid: ["-0.09", "0", "1"])
        try expect(#"{"exclusiveMinimum":0}"#, valid: ["1e-999999999"], invalid: ["0", "-0", "-1e-9"])
        try expect(#"{"exclusiveMaximum":100}"#, valid: ["99.999999999999999999999"], invalid: ["1e2", "100.0"])
    }

    @Test("Property: decimals compare and divide as whole numbers of a common unit do")
    func decimals() throws {
        var random = Seeded(state: 7)
        for _ in 0..<400 {
            let (left, right) = (Int.random(in: -3_000...3_000, using: &random), Int.random(in: 1...60, using: &random))
            let shift = Int.random(in: -30...30, using: &random)
            let spelling = "\(left)e\(shift)"
            let zeros = "\(left).000e\(shift)"
            let divisor = try Sample("{\"multipleOf\":\(right)e\(shift)}")
            #expect(try (divisor.violation(spelling) == nil) == (left % right == 0), "\(spelling) by \(right)")
            let minimum = try Sample("{\"minimum\":\(right)0e\(shift - 1)}")
            #expect(try (minimum.violation(zeros) == nil) == (left >= right))
            let same = try Sample("{\"const\":\(left)000e\(shift - 3)}")
            #expect(try same.violation(zeros) == nil)
        }
    }

    @Test("6.3.1 maxLength and 6.3.2 minLength count code points")
    func length() throws {
        try expect(#"{"maxLength":2}"#, valid: ["\"👍👍\"", "\"\"", "123"], invalid: ["\"abc\"", #""e\u0301e""#])
        try expect(#"{"minLength":2.0}"#, valid: [#""e\u0301""#], invalid: ["\"👍\"", "\"\""])
        for value in ["-1", "1.5", "\"1\"", "1e30"] {
            #expect(try failure("{\"minLength\":\(value)}")?.pointer == "/minLength")
        }
    }

    @Test("6.4 arrays: sizes, uniqueItems by value, contains with its limits")
    func arrays() throws {
        try expect(#"{"minItems":1,"maxItems":2}"#, valid: ["[1]", "[1,2]", "{}"], invalid: ["[]", "[1,2,3]"])
        try expect(
            #"{"uniqueItems":true}"#,
            valid: [
                "[]", "[1,true,\"1\",null,[1],{\"a\":1}]", "[[1],[1,1]]", "[{\"a\":1},{\"a\":2},{\"b\":1}]",
                "[0,false]",
            ],
            invalid: ["[1,1.0]", "[{\"a\":1,\"b\":2},{\"b\":2e0,\"a\":1}]", "[[[]],[[]]]", "[\"a\",\"b\",\"a\"]"])
        try expect(#"{"uniqueItems":false}"#, valid: ["[1,1]"])
        let contains = #""contains":{"const":1}"#
        try expect("{\(contains)}", valid: ["[1]", "[2,1]", "3"], invalid: ["[]", "[2]"])
        try expect(
            "{\(contains),\"minContains\":2,\"maxContains\":3}", valid: ["[1,1]", "[1,2,1,1]"],
            invalid: ["[1]", "[1,1,1,1]"])
        try expect("{\(contains),\"minContains\":0}", valid: ["[]", "[2]"])
        try expect(#"{"minContains":2,"maxContains":0}"#, valid: ["[]", "[1]"])
    }

    @Test("6.5 objects: sizes, required, dependentRequired")
    func objects() throws {
        try expect(
            #"{"minProperties":1,"maxProperties":2}"#, valid: [#"{"a":1}"#, "[]"],
            invalid: ["{}", #"{"a":1,"b":1,"c":1}"#])
        try expect(#"{"required":["a","b"]}"#, valid: [#"{"b":null,"a":1}"#, "1"], invalid: [#"{"a":1}"#, "{}"])
        try expect(
            #"{"dependentRequired":{"a":["b","c"]}}"#, valid: ["{}", #"{"b":1}"#, #"{"a":1,"b":1,"c":1}"#],
            invalid: [#"{"a":1,"b":1}"#])
    }

    private func expectFormat(
        _ format: String, valid: [String], invalid: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let schema = try JSONSchema(compiling: ["format": .string(format)])
        #expect(schema.validate(1) == nil, "a format is asked of strings only", sourceLocation: sourceLocation)
        for text in valid {
            #expect(schema.validate(.string(text)) == nil, "\(text) is valid", sourceLocation: sourceLocation)
        }
        for text in invalid {
            #expect(schema.validate(.string(text)) != nil, "\(text) is not valid", sourceLocation: sourceLocation)
        }
    }

    @Test("7.3.1 date and date-time (RFC 3339 5.6)")
    func dates() throws {
        try expectFormat(
            "date", valid: ["2024-02-29", "2000-02-29", "0000-01-01"],
            invalid: [
                "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-04-31", "24-01-01", "2024-01-1",
                "2024-01-01Z", "",
            ])
        try expectFormat(
            "date-time",
            valid: [
                "2026-11-20T10:00:00Z", "2026-11-20t10:00:00.123456789z", "2026-11-20T10:00:00-08:30",
                "1998-12-31T23:59:60Z", "1998-12-31T15:59:60.5-08:00",
            ],
            invalid: [
                "2026-11-20 10:00:00Z", "2026-11-20T10:00:00", "2026-11-20T24:00:00Z",
                "2026-11-20T10:60:00Z", "2026-11-20T10:00:00.Z", "2026-11-20T10:00:00+24:00",
                "2026-11-20T10:00:00+0800", "1998-12-31T22:59:60Z", "2026-11-20T10:00Z", "2026-11-20T10:00:00ZZ",
            ])
    }

    @Test("7.3.2 email (RFC 5321 4.1.2)")
    func email() throws {
        try expectFormat(
            "email",
            valid: [
                "a@b.example", "first.last+tag@sub.example.com", #""a b"@example.com"#, "a@[192.0.2.1]",
                "a@[IPv6:2001:db8::1]", "a@localhost",
            ],
            invalid: [
                "a", "@b", "a@", ".a@b", "a..b@c", "a.@b", "a b@c", "a@-b", "a@b_c",
                "a@b..c", "a@[300.0.2.1]", "é@b", String(repeating: "a", count: 65) + "@b",
            ])
    }

    @Test("7.3.4 ipv4 and ipv6")
    func addresses() throws {
        try expectFormat(
            "ipv4", valid: ["0.0.0.0", "255.10.9.1"],
            invalid: [
                "256.1.1.1", "1.1.1", "01.1.1.1", "1.1.1.1.1", "1.1.1.", "0x1.1.1.1", "1.1.1.99999999999999999999",
            ])
        try expectFormat(
            "ipv6",
            valid: [
                "::", "::1", "1::", "2001:db8::8a2e:370:7334", "1:2:3:4:5:6:7:8", "::ffff:192.0.2.1",
                "1:2:3:4:5:6:192.0.2.1", "1:2:3:4:5:6:7::",
            ],
            invalid: [
                "", ":", ":::", "1::2::3", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "12345::", "g::", "fe80::1%eth0",
                "1:2:3:4:5:6:7:192.0.2.1", "1:2:3:4:5:6:7::8", "192.0.2.1::", ":1:2:3:4:5:6:7",
            ])
    }

    @Test("7.3.5 uri (RFC 3986) and uuid")
    func identifiers() throws {
        try expectFormat(
            "uri",
            valid: [
                "https://example.com:8443/a/b?c=d/e?f#g", "urn:example:a", "mailto:a@b", "http://u:p@[2001:db8::1]:80/",
                "a:", "file:///etc", "x://h/%C3%A9", "tel:+1-816-555-1212",
            ],
            invalid: [
                "", "//example.com", "/a", "1a:b", "http://a b", "http://a/%zz", "http://a/%4", "http://[::1",
                "http://a:b/", "http://é/", #"http://a/\b"#, "http://a/#b#c", "http://a/[b]", "abc", ":a",
            ])
        try expectFormat(
            "uuid", valid: ["2EB8AA08-aa98-11ea-b4aa-73b441d16380"],
            invalid: [
                "2eb8aa08aa9811eab4aa73b441d16380", "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
                "2eb8aa08-aa98-11ea-b4aa-73b441d1638g",
            ])
    }

    @Test("7.3.1 time (RFC 3339 5.6) and duration (appendix A)")
    func timesAndDurations() throws {
        try expectFormat(
            "time", valid: ["10:00:00Z", "23:59:60z", "00:00:00.5+02:00", "01:29:60+01:30"],
            invalid: ["10:00:00", "24:00:00Z", "10:00Z", "22:59:60Z", "10:00:00.Z", "10:00:00+24:00", "", "T10:00:00Z"])
        try expectFormat(
            "duration", valid: ["P4DT12H30M5S", "P4Y", "PT0S", "P1M", "PT1M", "PT36H", "P1DT12H", "P2W", "P1Y2M3D"],
            invalid: [
                "PT1D", "4DT12H30M5S", "P", "P1", "PT", "P1YT", "P2D1Y", "P1D2H", "P2S", "P1Y2W", "P1", "P1Y2D",
                "PT1H2S",
                "P1DT", "p1D", "PTT1S", "P-1D", "P1.5D", "",
            ])
    }

    @Test("7.3.3 hostname (RFC 1123 2.1)")
    func hostNames() throws {
        let label = String(repeating: "a", count: 63)
        try expectFormat(
            "hostname", valid: ["www.example.com", "a", "4.example", "xn--4gbwdl.xn--wgbh1c", label],
            invalid: [
                "", "-a.example", "a-.example", "a_b", "a..b", "a.example.", ".a", label + "a", "a b", "é.example",
                Array(repeating: label, count: 4).joined(separator: "."),
            ])
    }

    @Test("7.3.5 uri-reference (RFC 3986 4.1)")
    func references() throws {
        try expectFormat(
            "uri-reference",
            valid: ["https://a.example/b?c#d", "//a.example", "/b", "b", "?c", "#d", "", "./a:b", "a/b:c"],
            invalid: ["a b", "\\\\windows", "#a\\b", "1a:b", "%zz", "a#b#c"])
    }

    @Test("7.3.7 json-pointer (RFC 6901 3), 7.3.8 regex (ECMA-262 with the u flag)")
    func pointersAndExpressions() throws {
        try expectFormat(
            "json-pointer", valid: ["", "/", "/a~0b/c~1d", "/0", "/é", "//"], invalid: ["a", "/~", "/~2", "#/a", "/a~"])
        // Patterns that are valid but not supported.
        try expectFormat(
            "regex", valid: ["^[a-z]+$", "(?=a)b", #"(a)\1"#, #"(?<n>a)\k<n>"#, #"\p{Script=Greek}"#, "a{5000}", ""],
            invalid: ["(", "a**", #"\1"#, #"\k<n>"#, "[b-a]", #"\Z"#, "{", "(?i)a", "(?<n>a)(?<n>b)"])
    }

    @Test("7.2: an unknown format is refused with the list of known ones")
    func otherFormats() throws {
        let reason = try failure(#"{"items":{"format":"iri"}}"#)
        #expect(reason?.pointer == "/items/format")
        #expect(reason?.reason.contains("known are date, time, date-time, duration, email, hostname") == true)
    }
}
