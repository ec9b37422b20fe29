import Primitives
import Testing

@Suite("Forms (RFC 6749 appendix B)")
struct FormFieldsTests {
    private func parse(_ text: String, limit: Int = 100) throws(FormFields.Failure) -> FormFields {
        try FormFields(parsing: Array(text.utf8), limit: limit)
    }

    @Test("Escapes and plus signs are decoded in names and values")
    func decoding() throws {
        let fields = try parse("a+b=c+d%2B%26%3D&%C3%A9=%F0%9F%94%91&x=y=z&last=")
        #expect(fields["a b"] == "c d+&=")
        #expect(fields["\u{E9}"] == "\u{1F511}")
        #expect(fields["x"] == "y=z")
        #expect(fields.pairs.count == 4)
    }

    @Test("RFC 6749 3.1: a parameter without a value counts as absent")
    func empty() throws {
        let fields = try parse("a=&b&=c&&d=1&")
        #expect(fields["a"] == nil && fields["b"] == nil && fields["none"] == nil)
        #expect(fields["d"] == "1" && fields[""] == "c")
        #expect(try parse("").pairs.isEmpty && parse("&&&").pairs.isEmpty)
    }

    @Test(
        "RFC 6749 3.1: a repeated parameter is refused, also in another spelling",
        arguments: [
            "a=1&a=1", "a=1&%61=2", "a&a", "a=&a=", "x=1&a=1&y=2&a=3", "=&=", "%C3%A9=1&e%CC%81=2",
        ])
    func duplicates(text: String) {
        let failure = #expect(throws: FormFields.Failure.self) { try parse(text) }
        guard case .duplicate = failure else {
            Issue.record("\(String(describing: failure)) is about something else")
            return
        }
    }

    @Test(
        "Broken escapes, invalid UTF-8 and NUL are refused with the parameter's name if it is readable",
        arguments: [
            "a=%", "a=%4", "a=%zz", "a=%4g", "a=%C3", "a=%FF", "a=%C0%80", "a=%ED%A0%80", "a=%00", "a=x\u{0}", "a=%0",
        ])
    func encoding(text: String) {
        #expect(throws: FormFields.Failure.encoding(name: "a")) { try parse(text) }
        #expect(throws: FormFields.Failure.encoding(name: nil)) { try parse(String(text.dropFirst(2)) + "=a") }
    }

    @Test("Raw bytes outside ASCII are read if they are UTF-8")
    func rawBytes() throws {
        #expect(try parse("a=\u{E9}\u{1F511}")["a"] == "\u{E9}\u{1F511}")
        #expect(throws: FormFields.Failure.encoding(name: "a")) {
            try FormFields(parsing: [UInt8(ascii: "a"), UInt8(ascii: "="), 0xC3])
        }
    }

    @Test("Too many parameters are refused")
    func limit() throws {
        #expect(try parse("a=1&b=2", limit: 2).pairs.count == 2)
        #expect(throws: FormFields.Failure.tooMany(limit: 2)) { try parse("a=1&b=2&c=3", limit: 2) }
    }

    @Test("A form survives writing and reading")
    func roundTrip() throws {
        var fields = FormFields([("a b", "c&d=e+f%"), ("\u{E9}", "\u{1F511}\n")])
        fields.append("plain-._~", "0")
        #expect(fields.encoded == "a%20b=c%26d%3De%2Bf%25&%C3%A9=%F0%9F%94%91%0A&plain-._~=0")
        #expect(try parse(fields.encoded) == fields)
    }
}
