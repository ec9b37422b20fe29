import Primitives
import Testing

@Suite("Suggestions for misspelt words")
struct SpellingTests {
    @Test(
        "The nearest word within three edits is suggested, and the only one that is abbreviated before it",
        arguments: [
            ("tls_cert", "tls_certificate"), ("prot", "port"), ("tls", "tls"), ("tls_ky", "tls_key"),
            ("entirely", nil), ("te", nil), ("addres", "address"),
        ])
    func nearest(word: String, meant: String?) {
        let words = ["tls", "tls_certificate", "tls_key", "port", "address", "retention"]
        #expect(Spelling.nearest(to: word, in: words) == meant)
    }
}
