import JSONSchema
import Primitives
import TestSupport
import Testing

@Suite("JSON Schema 2020-12 Core 6.4: regular expressions")
struct PatternTests {
    private func sample(_ pattern: String) throws -> JSONSchema {
        try JSONSchema(compiling: ["pattern": .string(pattern)])
    }

    private func expect(
        _ pattern: String, matches: [String] = [], not others: [String] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let schema = try sample(pattern)
        for text in matches {
            #expect(schema.validate(.string(text)) == nil, "\(pattern) and \(text)", sourceLocation: sourceLocation)
        }
        for text in others {
            #expect(schema.validate(.string(text)) != nil, "\(pattern) and \(text)", sourceLocation: sourceLocation)
        }
    }

    @Test("Patterns are unanchored by default")
    func anchors() throws {
        try expect("b", matches: ["abc", "b"], not: ["", "B"])
        try expect("^b", matches: ["bc"], not: ["ab", "a\nb"])
        try expect("b$", matches: ["ab"], not: ["ba", "b\n"])
        try expect("^$", matches: [""], not: ["a"])
        try expect("", matches: ["", "a"])
        try expect("a^b|$^", matches: [""], not: ["ab"])
        try expect(#"\bin\b"#, matches: ["come in!", "in"], not: ["pin", "inn", "in_"])
        try expect(#"\Bin\B"#, matches: ["pint"], not: ["in", "pin"])
    }

    @Test("Quantifiers, groups and alternatives")
    func quantifiers() throws {
        try expect("^a*$", matches: ["", "aaa"], not: ["b"])
        try expect("^a+?b??$", matches: ["a", "aab"], not: ["", "abb"])
        try expect("^a{2}$", matches: ["aa"], not: ["a", "aaa"])
        try expect("^a{2,}$", matches: ["aa", "aaaaa"], not: ["a"])
        try expect("^a{1,3}$", matches: ["a", "aaa"], not: ["", "aaaa"])
        try expect("^a{0}b{0,0}$", matches: [""], not: ["a"])
        try expect("^(ab|cd|)(?:e|f)(?<year>[0-9]{2})$", matches: ["abe12", "cdf99", "e00"], not: ["ab12", "cde1"])
        try expect("^(?:(?:a*)*)*$", matches: ["", "aaaa"], not: ["ab"])
        try expect("^(a|b|c|d)+$", matches: ["abcd"], not: ["abce", ""])
    }

    @Test("Classes and escapes, by code point")
    func classes() throws {
        try expect("^.$", matches: ["a", "é", "👍"], not: ["\n", "\u{2028}", "ab"])
        try expect(#"^[a-c\d_.\-]+$"#, matches: ["a1_.-"], not: ["d", "٣"])
        try expect("^[^a-c]$", matches: ["d", "👍", "\n"], not: ["a"])
        try expect("^[-a]+$", matches: ["-a"], not: ["b"])
        try expect("^[a-]+$", matches: ["-a"], not: ["b"])
        try expect("^[]$", not: ["", "a"])
        try expect("^[^]$", matches: ["a", "\n"], not: [""])
        try expect(#"^\w\W\s\S\D$"#, matches: ["a- bc", "_é\u{A0}xx"], not: ["a-b c", "é- xx"])
        try expect(#"^[\D]$"#, matches: ["a"], not: ["5"])
        try expect(#"^[^\S5]$"#, matches: [" "], not: ["5", "a"])
        try expect(#"^\p{L}\p{Lu}\P{L}[\p{Nd}x]$"#, matches: ["éÀ1٣", "aB-x"], not: ["1Aa1", "éà11"])
        try expect(#"^\t\n\v\f\r\0\cJ\x41\u00e9\u{1F44D}\uD83D\uDC4D\/\.$"#, matches: ["\t\n\u{0B}\u{0C}\r\0\nAé👍👍/."])
        try expect(#"^[\b\]\\]+$"#, matches: ["\u{08}]\\"], not: ["b"])
    }

    @Test("Unsupported syntax is refused with the reason")
    func refusals() throws {
        for (pattern, word) in [
            (#"(a)\1"#, "back-reference"), (#"(?<a>b)\k<a>"#, "back-reference"), ("(?=a)", "look-around"),
            ("(?!a)", "look-around"), ("(?<=a)", "look-around"), ("(?<!a)", "look-around"), ("(?i)a", "unknown kind"),
            ("(a", "not closed"), ("a)", "closes no group"), ("[a", "not closed"), ("a{2,1}", "{n,m}"),
            ("a{,2}", "{n,m}"),
            ("*a", "repeats nothing"), ("a**", "repeats nothing"), ("^*", "assertion"), ("{", "stands alone"),
            ("a]", "stands alone"),
            (#"\q"#, "unknown escape"), (#"\_"#, "unknown escape"), ("[b-a]", "out of order"),
            (#"[\d-z]"#, "out of order"),
            (#"\u12"#, "hexadecimal"), (#"\ud800"#, "surrogate"), (#"\u{110000}"#, "code point"),
            (#"\p{Greek}"#, "not supported"),
            (#"\pL"#, "{…}"), ("a\\", "ends in"), (#"\c1"#, "letter"), ("a{99999}", "1000 times"),
            ("a{9999}b{9999}", "too large"),
            ("(((a{100}){100}){100}){100}", "too large"), ("((((){9999}){9999}){9999}){9999}", "too large"),
            (String(repeating: "(", count: 5_000), "deeper"),
        ] {
            let failure = #expect(throws: JSONSchema.Failure.self) { try sample(pattern) }
            #expect(failure?.reason.contains(word) == true, "\(pattern): \(failure?.reason ?? "")")
            #expect(failure?.pointer == "/pattern")
        }
    }

    @Test("Patterns that make backtracking matchers hang take linear time")
    func adversarialPatterns() throws {
        let text = String(repeating: "a", count: 50_000) + "!"
        let elapsed = try ContinuousClock().measure {
            for pattern in [
                "^(a+)+$", "^(a*)*$", "^(a|a)*$", "^(a|aa)+$", "^(.*)*x$", "(a?){30}a{30}$",
                "^(([a-z])+.)+[A-Z]([a-z])+$",
                "(x+x+)+y", "^((a*)*|(b*)*)*$",
            ] {
                try expect(pattern, not: [text])
            }
        }
        // Backtracking would take exponential time; the margin is for a busy machine.
        #expect(elapsed < .seconds(60))
    }

    @Test("Property: a pattern matches like its derivatives")
    func againstDerivatives() throws {
        var random = Seeded(state: 11)
        for _ in 0..<300 {
            let expression = Expression.random(depth: 4, using: &random)
            let schema = try sample("^(?:\(expression.source))$")
            for _ in 0..<12 {
                let length = Int.random(in: 0...7, using: &random)
                let text = String((0..<length).map { _ in Bool.random(using: &random) ? "a" : "b" })
                let isMatch = schema.validate(.string(text)) == nil
                #expect(isMatch == expression.matches(text), "\(expression.source) and \(text)")
            }
        }
    }
}

/// A regular expression matched by Brzozowski's derivatives: slow, and built unlike an automaton.
private indirect enum Expression {
    case nothing, empty
    case character(Character)
    case sequence(Expression, Expression)
    case either(Expression, Expression)
    case star(Expression)

    static func random(depth: Int, using random: inout Seeded) -> Expression {
        func next() -> Expression { .random(depth: depth - 1, using: &random) }
        switch depth == 0 ? Int.random(in: 0...2, using: &random) : Int.random(in: 1...8, using: &random) {
        case 0: return .empty
        case 1: return .character("a")
        case 2: return .character("b")
        case 3...5: return .sequence(next(), next())
        case 6, 7: return .either(next(), next())
        default: return .star(next())
        }
    }

    var source: String {
        switch self {
        case .nothing: "[]"
        case .empty: "(?:)"
        case .character(let character): String(character)
        case .sequence(let one, let other): one.source + other.source
        case .either(let one, let other): "(\(one.source)|\(other.source))"
        case .star(let body): "(\(body.source))*"
        }
    }

    private var isNullable: Bool {
        switch self {
        case .nothing, .character: false
        case .empty, .star: true
        case .sequence(let one, let other): one.isNullable && other.isNullable
        case .either(let one, let other): one.isNullable || other.isNullable
        }
    }

    private func derivative(_ character: Character) -> Expression {
        switch self {
        case .nothing, .empty: return .nothing
        case .character(let own): return own == character ? .empty : .nothing
        case .either(let one, let other): return .either(one.derivative(character), other.derivative(character))
        case .star(let body): return .sequence(body.derivative(character), self)
        case .sequence(let one, let other):
            let first = Expression.sequence(one.derivative(character), other)
            return one.isNullable ? .either(first, other.derivative(character)) : first
        }
    }

    func matches(_ text: String) -> Bool { text.reduce(self) { $0.derivative($1) }.isNullable }
}
