import Primitives
import Testing

@Suite("Internationalized names")
struct HostNameTests {
    @Test(
        "RFC 3492 7.1: sample strings",
        arguments: [
            ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"), ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
            ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"), ("Pročprostěnemluvíčesky", "Proprostnemluvesky-uyb24dma41a"),
            ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
            ("यहलोगहिन्दीक्योंनहींबोलसकतेहैं", "i1baa7eci9glrd9b2ae1bj0hfcgg6iyaf8o0a1dig0cd"),
            ("なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
            ("세계의모든사람들이한국어를이해한다면얼마나좋을까", "989aomsvi5e83db1d2a355cv1e0vak1dwrv93d5xbh15a0dt30a5jpsd879ccm6fea98c"),
            ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
            ("PorquénopuedensimplementehablarenEspañol", "PorqunopuedensimplementehablarenEspaol-fmd56a"),
            ("TạisaohọkhôngthểchỉnóitiếngViệt", "TisaohkhngthchnitingVit-kjcr8268qyxafd2f1b9g"),
            ("3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"),
            ("安室奈美恵-with-SUPER-MONKEYS", "-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n"),
            ("Hello-Another-Way-それぞれの場所", "Hello-Another-Way--fc4qua05auwb3674vfr0b"),
            ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"), ("MajiでKoiする5秒前", "MajiKoi5-783gue6qz075azm5e"),
            ("パフィーdeルンバ", "de-jg4avhby1noc0d"), ("そのスピードで", "d9juau41awczczp"), ("-> $1.00 <-", "-> $1.00 <--"),
        ])
    func punycode(text: String, expected: String) {
        #expect(Punycode.encode(Array(text.unicodeScalars)) == expected)
    }

    @Test(
        "RFC 5890 2.3.2.1: a U-label becomes its A-label, in lower case and composed",
        arguments: [
            ("example", "example"), ("EXAMPLE", "example"), ("A.bücher.C-d", "a.xn--bcher-kva.c-d"), ("a-1", "a-1"),
            ("xn--bcher-kva", "xn--bcher-kva"),
            ("XN--Bcher-KVA", "xn--bcher-kva"), ("bücher", "xn--bcher-kva"), ("BÜCHER", "xn--bcher-kva"),
            ("bu\u{308}cher", "xn--bcher-kva"),
            (String(repeating: "u\u{308}", count: 40), "xn--tdaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
            ("BU\u{308}CHER", "xn--bcher-kva"), ("straße", "xn--strae-oqa"),
            ("βόλος", "xn--nxasmm1c"), ("παράδειγμα", "xn--hxajbheg2az3al"), ("пример", "xn--e1afmkfd"),
            ("例え", "xn--r8jz45g"), ("中国", "xn--fiqs8s"), ("〇", "xn--w6j"),
        ])
    func folded(text: String, expected: String) { #expect(HostName.ascii(text[...]) == expected) }

    @Test(
        "RFC 5891 4.2, RFC 5892: other labels are refused",
        arguments: [
            "", "-a", "a-", "-ü", "ü-", "ab--ü", "a_b", "a b", "a@b", "a<b", "a\u{0}b", "ü\u{0}", "ü b", "ü@b", "ü..b",
            ".ü", "ü.", "a..b", ".a", "a.", "a.-b", "a-.b",
            // Invisible characters and controls of direction.
            "b\u{200B}", "b\u{202E}", "b\u{200C}c", "b\u{200D}c", "b\u{AD}c", "b\u{2060}c", "b\u{FE0F}", "ü\u{E0041}",
            // Marks without a base, compatible and unstable characters, symbols, letters that become ASCII.
            "\u{308}b", "ａｂ", "ﬁ", "①", "i❤", "b\u{2024}c", "a\u{3002}b", "\u{212A}im", "\u{130}da", "ſ", "l·l", "ᄀ",
            "\u{640}", "\u{378}", "\u{E000}", "٠۰",
            String(repeating: "a", count: 64), String(repeating: "ü", count: 64), String(repeating: "例", count: 60),
        ])
    func refused(text: String) { #expect(HostName.ascii(text[...]) == nil) }

    @Test(
        "UAX 15: Form C composes letters and marks, in their canonical order, and decomposes what it excludes",
        arguments: [
            ("abc", "abc"), ("u\u{308}", "ü"), ("\u{212B}", "Å"), ("A\u{30A}", "Å"),
            ("q\u{307}\u{323}", "q\u{323}\u{307}"),
            ("\u{1112}\u{1161}\u{11AB}", "한"), ("\u{958}", "\u{915}\u{93C}"), ("ﬁ", "ﬁ"),
            ("\u{1E9B}\u{323}", "\u{1E9B}\u{323}"),
            ("\u{44}\u{307}\u{323}", "\u{1E0C}\u{307}"), ("\u{1F468}\u{200D}\u{1F469}", "\u{1F468}\u{200D}\u{1F469}"),
        ])
    func composed(text: String, expected: String) {
        #expect(text.composed.unicodeScalars.elementsEqual(expected.unicodeScalars))
    }
}
