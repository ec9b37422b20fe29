import Primitives
import Testing

@Suite("Characters that cannot be seen")
struct UnseenCharacterTests {
    private func marked(_ text: String) -> String {
        text.replacingUnseen(keepsLines: true) { "<\(String($0.value, radix: 16))>" }
    }

    @Test(
        "UAX 9: marks of direction and other characters without a picture are named",
        arguments: [
            ("\u{202E}0000 98ED", "<202e>0000 98ED"), ("a\u{200B}b\u{2067}", "a<200b>b<2067>"), ("\u{2800}", "<2800>"),
            ("a\u{200D}b", "a<200d>b"), ("\u{3164}x\u{FEFF}", "<3164>x<feff>"), ("a\tb\r\n", "a<9>b<d>\n"),
            ("a\n\n\nb", "a\n<a><a>b"), ("\u{E000}", "<e000>"), ("\u{2028}", "<2028>"),
        ])
    func named(text: String, expected: String) {
        #expect(marked(text) == expected)
    }

    @Test(
        "Text of every script, emoji and flags stay as they are",
        arguments: [
            "plain ~", "Überweisung", "שלום עולם", "नमस्ते", "می\u{200C}خواهم", "👩\u{200D}💻", "❤️", "🏴󠁧󠁢󠁷󠁬󠁳󠁿", "a\nb", "",
        ])
    func kept(text: String) {
        #expect(marked(text) == text)
    }
}
