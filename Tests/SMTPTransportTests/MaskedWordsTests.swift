@testable import SMTPTransport
import Testing

@Suite("Words of mail servers in the log")
struct MaskedWordsTests {
    @Test(
        "Links, the recipient and unseen characters are left out, also together",
        arguments: [
            ("5.1.1 <ann@example.org> unknown", "5.1.1 [recipient] unknown"),
            ("see https://evil.example/x", "see [hidden]"), ("a\u{202E}b\u{200B}c\u{2066} \u{1B}[2J", "abc [2J"),
            ("https:\u{200B}//evil.example ann\u{AD}@example.org", "[hidden] [recipient]"), ("a \u{200B} b", "a b"),
            ("Empfänger unbekannt", "Empfänger unbekannt"),
        ])
    func words(text: String, shown: String) {
        #expect(MaskedWords(text, hiding: MailAddress("ann@example.org")).description == shown)
    }
}
