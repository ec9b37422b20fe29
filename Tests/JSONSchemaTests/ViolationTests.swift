import JSONSchema
import Primitives
import TestSupport
import Testing

@Suite("JSON Schema: texts of violations")
struct ViolationTests {
    private static let payment = #"""
        {"type":"object","required":["type","instructedAmount"],"additionalProperties":false,
         "properties":{
            "type":{"const":"payment_initiation"},
            "instructedAmount":{"type":"object","required":["currency","amount"],"properties":{
                "currency":{"enum":["EUR","USD"]},"amount":{"type":"number","minimum":1,"multipleOf":0.01}}},
            "lines":{"type":"array","maxItems":2,"uniqueItems":true,
                "items":{"type":["string","null"],"minLength":1,"maxLength":5}},
            "due":{"format":"date"},"code":{"pattern":"^[A-Z]+$"},"way":{"oneOf":[{"const":"a"},{"enum":["a","b"]}]},
            "to":{"anyOf":[{"type":"object","properties":{"iban":{"maxLength":2}},"required":["iban"]},
                {"type":"null"}]},
            "note":{"not":{"const":"x"}},"tags":{"contains":{"const":1},"maxContains":1},
            "meta":{"propertyNames":{"maxLength":2},"dependentRequired":{"a":["b"]},"minProperties":1}
        }}
        """#

    @Test(
        "A violation has the place, the keyword and a text with the required change",
        arguments: [
            (
                #""instructedAmount":{"currency":"EUR","amount":0.5}"#, "/instructedAmount/amount", "minimum",
                "instructedAmount.amount must be at least 1"
            ),
            (
                #""instructedAmount":{"currency":"EUR","amount":1.005}"#, "/instructedAmount/amount", "multipleOf",
                "instructedAmount.amount must be a multiple of 0.01"
            ),
            (
                #""instructedAmount":{"currency":"GBP","amount":5}"#, "/instructedAmount/currency", "enum",
                "instructedAmount.currency must be one of EUR, USD"
            ),
            (
                #""instructedAmount":{"currency":"EUR"}"#, "/instructedAmount", "required",
                "instructedAmount.amount is missing; add it"
            ),
            (
                #""instructedAmount":{"currency":"EUR","amount":"5"}"#, "/instructedAmount/amount", "type",
                "instructedAmount.amount must be a number"
            ),
            (
                #""lines":["a",1]"#, "/lines/1", "type", "lines[1] must be a string or null"
            ),
            (
                #""lines":["a","a"]"#, "/lines", "uniqueItems", "lines must not repeat an element; [1] equals [0]"
            ),
            (
                #""lines":["a","b","c"]"#, "/lines", "maxItems", "lines must have at most 2 elements"
            ),
            (
                #""lines":[""]"#, "/lines/0", "minLength", "lines[0] must have at least 1 character"
            ),
            (
                #""due":"soon""#, "/due", "format", "due must be a date such as 2026-11-20"
            ),
            (
                #""code":"a""#, "/code", "pattern", "code must match the pattern ^[A-Z]+$"
            ),
            (
                #""a/b\u0007":1"#, "/a~1b\u{07}", "additionalProperties", "a/b? is not allowed; remove it"
            ),
            (
                #""way":"a""#, "/way", "oneOf",
                "way must fit exactly one of 2 alternatives; it fits number 1 and number 2"
            ),
            (
                #""to":{"iban":"abc"}"#, "/to", "anyOf",
                "to fits none of 2 alternatives; for the nearest, to.iban must have at most 2 characters"
            ),
            (
                #""note":"x""#, "/note", "not", "note has a form that is excluded; change it"
            ),
            (
                #""tags":[2]"#, "/tags", "contains", "tags must have at least 1 of the elements asked for; it has 0"
            ),
            (
                #""tags":[1,1]"#, "/tags", "maxContains",
                "tags must have at most 1 of the elements asked for; it has 2"
            ),
            (
                #""meta":{"abc":1}"#, "/meta/abc", "maxLength", "the name abc must have at most 2 characters"
            ),
            (
                #""meta":{"a":1}"#, "/meta", "dependentRequired", "meta.b is missing; meta.a needs it"
            ),
            (
                #""meta":{}"#, "/meta", "minProperties", "meta must have at least 1 member"
            ),
        ])
    func wording(_ member: String, _ pointer: String, _ keyword: String, _ english: String) throws {
        let isAmount = member.hasPrefix(#""instructedAmount""#)
        let amount = isAmount ? "" : #","instructedAmount":{"currency":"EUR","amount":5}"#
        let violation = try Sample(Self.payment).violation("{\"type\":\"payment_initiation\"\(amount),\(member)}")
        #expect(violation?.pointer == pointer)
        #expect(violation?.keyword == keyword)
        #expect(violation?.english == english)
    }

    @Test("The root is named the value, and its pointer is empty")
    func root() throws {
        let violation = try Sample(Self.payment).violation("[]")
        #expect(violation?.pointer == "")
        #expect(violation?.english == "the value must be an object")
    }

    @Test("A long name is shortened in the text and complete in the pointer")
    func longNames() throws {
        let name = String(repeating: "n", count: 5_000)
        let violation = try Sample(#"{"additionalProperties":false}"#).violation("{\"\(name)\":1}")
        #expect(violation?.pointer == "/" + name)
        #expect((violation?.english.count ?? 0) < 100)
    }

    @Test(
        "RFC 6749 5.2: a pattern is shown if every error can show it whole",
        arguments: [
            ("^[0-9]{3}$", "the value must match the pattern ^[0-9]{3}$"),
            (#"^\d$"#, "the value must match the pattern of its schema"),
            (#"^["]$"#, "the value must match the pattern of its schema"),
            ("^[äöü]$", "the value must match the pattern of its schema"),
            ("^\(String(repeating: "a", count: 200))$", "the value must match the pattern of its schema"),
        ])
    func patterns(pattern: String, expected: String) throws {
        let schema = try JSONSchema(compiling: ["pattern": .string(pattern)])
        #expect(schema.validate("?")?.english == expected)
    }
}
