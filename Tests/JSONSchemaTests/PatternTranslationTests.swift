import JSONSchema
import Primitives
import RE2Patterns
import TestSupport
import Testing

@Suite("JSON Schema: patterns of ECMA-262 in the syntax of RE2")
struct PatternTranslationTests {
    @Test("2020-12 Core 6.4: syntax of RE2 that ECMA-262 lacks is refused by name")
    func foreignSyntax() throws {
        for (pattern, word) in [
            ("(?i)a", "(? of an unknown kind"), ("(?P<a>b)", "(? of an unknown kind"),
            ("(?s:.)", "(? of an unknown kind"),
            (#"\pN"#, #"\p without {…}"#), (#"\PN"#, #"\P without {…}"#), (#"\Qa.b\E"#, #"unknown escape \Q"#),
            (#"\C"#, #"unknown escape \C"#), (#"\Aa"#, #"unknown escape \A"#), (#"a\z"#, #"unknown escape \z"#),
            (#"\a"#, #"unknown escape \a"#), (#"\x{41}"#, "hexadecimal"), (#"\101"#, "back-reference"),
            (#"\p{^L}"#, "names no property"), ("[[:alpha:]]", "POSIX class"), ("[a[:digit:]b]", "POSIX class"),
            (#"\p{Greek}"#, "general category"), ("a++", "repeats nothing"), (#"[\Q]"#, #"unknown escape \Q"#),
            (#"[\b-\d]"#, "out of order"), (#"\p{Cn}"#, "not C or Cn"), (#"(?<a>b)(?<a>c)"#, "two groups named a"),
        ] {
            let failure = #expect(throws: Pattern.Failure.self) { try Pattern(pattern) }
            #expect(failure?.reason.contains(word) == true, "\(pattern): \(failure?.reason ?? "")")
        }
    }

    @Test("Characters that are special only to RE2 are literal")
    func literalCharacters() throws {
        func expect(_ pattern: String, matches text: String, not other: String) throws {
            let compiled = try RE2PatternCompiler().compile(try Pattern(pattern))
            #expect(compiled.matches(text), "\(pattern) and \(text)")
            #expect(!compiled.matches(other), "\(pattern) and \(other)")
        }
        try expect("^[[a:]+$", matches: "[:a", not: "b")
        try expect(#"^[&&~~||-]+$"#, matches: "&~|-", not: "a")
        try expect("^#a b$", matches: "#a b", not: "ab")
        try expect("^\u{0}$", matches: "\0", not: "")
        try expect(#"^\u{0}\x00$"#, matches: "\0\0", not: "\0")
        // A position between the bytes of é does not exist.
        try expect(#"\B"#, matches: "ab", not: "aéa")
        try expect(#"^\P{L}$"#, matches: "1", not: "é")
        try expect("^é$", matches: "é", not: "e\u{301}")
    }

    @Test(
        "Every accepted general category exists in RE2",
        arguments: [
            "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps",
            "Pe",
            "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co",
        ])
    func categories(_ name: String) throws {
        for text in [#"\p{\#(name)}"#, #"\P{\#(name)}"#, #"[^\p{\#(name)}\P{Lu}a]"#] {
            let pattern = try Pattern(text)
            #expect(try RE2PatternCompiler().compile(pattern).stepsPerByte <= pattern.weight)
        }
    }

    @Test("A costly pattern is refused before compilation, or compiles within its weight")
    func hurtfulPatterns() throws {
        func nested(_ count: Int, _ body: String, _ quantifier: String) -> String {
            String(repeating: "(?:", count: count) + body + String(repeating: ")\(quantifier)", count: count)
        }
        var patterns = [
            "(?:(?:(?:a{0}){10000}){10000}){10000}", "(?:(?:(?:a{0}){1000}){1000}){1000}", "((a{100}){100}){100}",
            "(?:(?:(?:){1000}){1000}){1000}", nested(30, "a", "{2}"), nested(30, "a{0}", "{0}"), nested(30, "", "*"),
            nested(30, "a?", "?"), "(?:a?){4990}b", "(?:a?){1000}b", #"(?:\p{L}){800}"#, #"(?:\p{L}|\p{N}){35}"#,
            String(repeating: #"\p{L}"#, count: 800), "[" + String(repeating: #"\p{L}\P{L}"#, count: 400) + "]",
            String(repeating: "[\u{100}-\u{10FFFF}]", count: 500),
            "(?:" + String(repeating: "a{0}|", count: 1_000) + ")",
            String(repeating: "a|", count: 4_000),
            String(repeating: "(a", count: 32) + String(repeating: ")*", count: 32),
            String(repeating: "a", count: 100_000), "a{1000}{1000}", "a{1000000000000000000000}", "(?:a{1000}){20}",
        ]
        patterns += ["a", "ab", #"\d"#, "[ab]"].map { nested(8, $0, "{5}") }
        for text in patterns {
            guard let pattern = try? Pattern(text) else { continue }
            #expect(pattern.weight <= Pattern.weightLimit + 16)
            guard let compiled = try? RE2PatternCompiler().compile(pattern) else { continue }
            #expect(compiled.stepsPerByte <= pattern.weight, "\(text.prefix(60))")
        }
        for text in ["(?:(?:(?:a{0}){10000}){10000}){10000}", "(?:(?:(?:){1000}){1000}){1000}", "(?:a?){4990}b"] {
            #expect(throws: Pattern.Failure.self) { try Pattern(text) }
        }
    }
}
