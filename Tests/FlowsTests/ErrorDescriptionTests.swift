import OAuthWire
import Primitives
import TestSupport
import TestTools
import Testing

@Suite("RFC 6749 5.2: error_description")
struct ErrorDescriptionTests {
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    @Test("Every description is printable ASCII without quotation marks and backslashes")
    func property() {
        var fuzzer = MutationFuzzer(
            corpus: ["The parameter \"a\" is repeated", "d\u{E9}j\u{E0} \\ vu", "\u{202E}\u{0}\r\n\u{1F600}"],
            tokens: ["\"", "\\", "\u{7F}", "\u{80}", "\u{2026}", "\u{10FFFF}"])
        fuzzer.check("error_description") { input in
            let text = String(decoding: input, as: UTF8.self)
            let whole = ErrorDescription(text)
            let quoted: ErrorDescription = "\(text) is not known"
            let joined = [whole, quoted].joined(separator: whole)
            return [whole, quoted, whole + quoted, joined, "\(joined)"].allSatisfy { Self.isPlain($0.text) }
                && whole.text.utf8.count == text.unicodeScalars.count
        }
    }

    @Test("A long interpolated value is shortened, an interpolated description is not")
    func length() {
        let long = String(repeating: "x", count: 1000)
        let shortened: ErrorDescription = "\(long) is not known"
        #expect(shortened.text == String(repeating: "x", count: ErrorDescription.valueLimit) + "... is not known")
        #expect(("login_hint: \(ErrorDescription(long))" as ErrorDescription).text == "login_hint: \(long)")
        #expect(("\(12) of \("a\u{E9}\"b" as Substring)" as ErrorDescription).text == "12 of a?'b")
    }
}
