import Primitives
import Testing

@testable import Terminal

@Suite("Terminal text")
struct TextTests {
    @Test(
        "Width counts columns, not characters",
        arguments: [
            ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本語", 6), ("ｱ", 1), ("Ａ", 2), ("한글", 4), ("😀", 2), ("👩‍👩‍👧", 2),
            ("🇫🇷", 2),
            ("❤️", 2), ("€", 1), ("", 0), ("ñandú", 5),
        ])
    func width(_ text: String, _ columns: Int) {
        #expect(displayWidth(text) == columns)
    }

    @Test("Interpolated values cannot drive the terminal, forge a line or turn the reading direction")
    func safe() {
        let hostile = "a\u{1B}[2Jb\nc\r\td\u{202E}e\u{9B}f\u{200B}g"
        #expect(Text(hostile).plain == "a‹U+001B›[2Jb\\nc\\r\\td‹U+202E›e‹U+009B›f‹U+200B›g")
        #expect(("<\(hostile)>" as Text).plain == "<\(Text(hostile).plain)>")
        #expect(("a\nb" as Text).plain == "a\nb")
    }

    @Test("Styles appear with colours only, and are closed")
    func styles() {
        let text: Text = "Hello \("Ana", .bold)!"
        #expect(text.rendered(colours: true) == "Hello \u{1B}[1mAna\u{1B}[0m!")
        #expect(text.rendered(colours: false) == "Hello Ana!")
        #expect(text.width == 10)
    }

    @Test("Wrapping breaks at spaces, within words only if necessary, and keeps line breaks and styles")
    func wrapping() {
        func wrap(_ text: Text, _ width: Int) -> [String] { text.wrapped(to: width).map(\.plain) }
        #expect(wrap("one two three", 7) == ["one two", "three"])
        #expect(wrap("one two three", 8) == ["one two", "three"])
        #expect(wrap("abcdefgh ij", 3) == ["abc", "def", "gh", "ij"])
        #expect(wrap("a\n\nb", 10) == ["a", "", "b"])
        #expect(wrap("日本語", 5) == ["日本", "語"])
        #expect(wrap("", 5) == [""])
        let styled = ("aa \("bb cc", .red)" as Text).wrapped(to: 5)
        #expect(styled.map { $0.rendered(colours: true) } == ["aa \u{1B}[31mbb\u{1B}[0m", "\u{1B}[31mcc\u{1B}[0m"])
    }

    @Test("A word marked for copying is never broken")
    func wholeWords() {
        func wrap(_ text: Text, _ width: Int) -> [String] {
            text.wrapped(to: width, breakingWords: false).map(\.plain)
        }
        #expect(wrap("abcdefgh ij kl mn", 5) == ["abcdefgh", "ij kl", "mn"])
        #expect(wrap("ij abcdefgh", 5) == ["ij", "abcdefgh"])
        let fields = Fields([("id", Text(String(repeating: "x", count: 30))), ("note", "one two three four five")])
        #expect(
            fields.lines(width: 22).map(\.plain) == [
                "id    " + String(repeating: "x", count: 30), "note  one two three", "      four five",
            ])
        #expect(fields.lines(width: nil).map(\.plain).last == "note  one two three four five")
    }

    @Test("Tables align columns by displayed width")
    func table() {
        let table = Table(
            [.init("NAME"), .init("AGE"), .init("CITY")],
            rows: [["Zoë", "7", "東京"], ["日本", "41", "Genève"], [Text("x", .green), "103", ""]])
        #expect(
            table.lines.map(\.plain) == [
                "NAME  AGE  CITY",
                "Zoë   7    東京",
                "日本  41   Genève",
                "x     103  ",
            ])
    }

    @Test("The last column is wrapped to the width, but never to less than 24 columns")
    func wrappedTable() {
        let table = Table(["NAME", "SO"], rows: [["Zoë", "one two three four five six seven"]])
        #expect(
            table.lines(width: 32).map(\.plain) == ["NAME  SO", "Zoë   one two three four five", "      six seven"])
        #expect(table.lines(width: 9).map(\.plain).count == 3)
        #expect(table.lines(width: nil).map(\.plain).count == 2)
    }

    @Test("Cards frame text of any width")
    func card() {
        let card = Card(
            "Payment",
            [
                .text("Send money to 日本 today"), .rule,
                .fields(Fields([("amount", "12.50 EUR"), ("to", "Zoë")])),
            ])
        #expect(
            card.lines(width: 24).map(\.plain) == [
                "┌────────────────────┐",
                "│ Payment            │",
                "├────────────────────┤",
                "│ Send money to 日本 │",
                "│ today              │",
                "├────────────────────┤",
                "│ amount  12.50 EUR  │",
                "│ to      Zoë        │",
                "└────────────────────┘",
            ])
    }

    @Test("JSON output keeps the spelling of numbers and the order of members")
    func json() throws {
        let value = try JSONReader.parse(#"{"z":12.50,"a":[],"l":[1,{"k":"é\n"}],"e":{}}"#)
        #expect(
            JSONWriter.lines(value) == [
                "{", #"  "z": 12.50,"#, #"  "a": [],"#, #"  "l": ["#, "    1,", "    {", #"      "k": "é\n""#, "    }",
                "  ],",
                #"  "e": {}"#, "}",
            ])
    }
}
