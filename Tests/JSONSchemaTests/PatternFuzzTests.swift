import JSONSchema
import RE2Patterns
import TestSupport
import TestTools
import Testing

/// Generated and mutated patterns. None crashes, each stays within its weight, and a slow independent matcher agrees if
/// it understands the pattern.
@Suite("Fuzzing patterns")
struct PatternFuzzTests {
    @Test("Property: a mutated pattern is refused with a reason, or compiles within its weight and matches")
    func mutatedPatterns() {
        var fuzzer = MutationFuzzer(
            corpus: [
                "^[a-z]{1,35}$", #"^\p{L}\P{Nd}+(?<name>a|b)?\b\B$"#, #"[^\S\d\w-]\u{1F44D}\uD83D\uDC4D\cA\x41\0"#,
                "(?:(?:a{0}){9}){9}|(a*)*(b|)+?", "[][^][a-]", #"(?=a)(?!b)(?<=c)(?<!d)\1\k<x>"#,
                "(((a{10}){10}){10}){10}", ".{0,255}é+", #"[\b\-\]\\é-ü]"#,
            ],
            tokens: [
                "{0}", "{1000}", "{2,}", "{,3}", "(?:", "(?<a>", "(?i)", ")", "[^", "]", "[[:alpha:]]", #"\p{Lu}"#,
                #"\P{L}"#, #"\Q"#, #"\z"#, "|", "*", "+?", "??", "^", "$", #"\B"#, #"\u{10FFFF}"#, #"\ud800"#, "-",
            ], cost: 4)
        let texts = ["", "a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "éü👍\u{2028}\0", "abc 123_"]
        fuzzer.check("pattern") { bytes in
            let source = String(decoding: bytes, as: UTF8.self)
            do {
                let pattern = try Pattern(source)
                guard pattern.weight <= Pattern.weightLimit + 16 else { return false }
                let compiled = try RE2PatternCompiler().compile(pattern)
                for text in texts { _ = compiled.matches(text) }
                return compiled.stepsPerByte <= pattern.weight
            } catch let failure as Pattern.Failure {
                return !failure.reason.isEmpty && failure.reason != "has a construct that is not supported"
            }
        }
    }

    @Test("Property: a pattern of the grammar matches like its derivatives")
    func againstDerivatives() throws {
        var random = Seeded(state: 23)
        for _ in 0..<600 {
            let expression = Expression.random(depth: 4, using: &random)
            let pattern = try Pattern(expression.source)
            guard let compiled = try? RE2PatternCompiler().compile(pattern) else { continue }
            #expect(compiled.stepsPerByte <= pattern.weight, "\(expression.source)")
            for _ in 0..<10 {
                let length = Int.random(in: 0...7, using: &random)
                let text = (0..<length).map { _ in Expression.alphabet.randomElement(using: &random) ?? "a" }
                let isMatch = compiled.matches(String(String.UnicodeScalarView(text)))
                #expect(isMatch == expression.isFound(in: text), "\(expression.source) and \(text)")
            }
        }
    }
}

/// A regular expression matched by Brzozowski's derivatives, with `^`, `$` and `\b` decided in place. Slow, and built
/// unlike an automaton.
private indirect enum Expression {
    case nothing, empty
    case set(source: String, Set<Unicode.Scalar>)
    case assertion(Assertion)
    case sequence(Expression, Expression)
    case either(Expression, Expression)
    case star(Expression)
    case repeated(Expression, Int, Int)

    enum Assertion: String, CaseIterable { case start = "^", end = "$", boundary = "\\b", noBoundary = "\\B" }

    static let alphabet: [Unicode.Scalar] = ["a", "b", "é", "1", " ", "👍", "\n"]

    private static let sets: [(String, @Sendable (Unicode.Scalar) -> Bool)] = [
        ("a", { $0 == "a" }), ("b", { $0 == "b" }), ("é", { $0 == "é" }), (".", { $0 != "\n" }),
        ("[^a]", { $0 != "a" }),
        (#"\d"#, { $0 == "1" }), (#"\W"#, { !["a", "b", "1"].contains($0) }),
        (#"[\s1]"#, { [" ", "\n", "1"].contains($0) }),
        (#"\p{L}"#, { ["a", "b", "é"].contains($0) }), (#"[^\P{L}a]"#, { ["b", "é"].contains($0) }),
        ("[]", { _ in false }),
        ("[^]", { _ in true }), (#"[\u{E0}-\u{1F44D}]"#, { ["é", "👍"].contains($0) }),
        (#"\S"#, { ![" ", "\n"].contains($0) }),
    ]

    static func random(depth: Int, using random: inout Seeded) -> Expression {
        func next() -> Expression { .random(depth: depth - 1, using: &random) }
        switch depth == 0 ? Int.random(in: 0...4, using: &random) : Int.random(in: 2...10, using: &random) {
        case 0: return .empty
        case 1: return .assertion(Assertion.allCases.randomElement(using: &random) ?? .start)
        case 2...4:
            let (source, contains) = sets.randomElement(using: &random) ?? sets[0]
            return .set(source: source, Set(alphabet.filter(contains)))
        case 5, 6: return .sequence(next(), next())
        case 7, 8: return .either(next(), next())
        case 9: return .star(next())
        default:
            let least = Int.random(in: 0...2, using: &random)
            return .repeated(next(), least, least + Int.random(in: 0...2, using: &random))
        }
    }

    var source: String {
        switch self {
        case .nothing: "[]"
        case .empty: "(?:)"
        case .set(let source, _): source
        case .assertion(let assertion): assertion.rawValue
        case .sequence(let one, let other): "(?:\(one.source))(?:\(other.source))"
        case .either(let one, let other): "(\(one.source)|\(other.source))"
        case .star(let body): "(?:\(body.source))*"
        case .repeated(let body, let least, let most): "(?:\(body.source)){\(least),\(most)}"
        }
    }

    private func isNullable(_ holds: (Assertion) -> Bool) -> Bool {
        switch self {
        case .nothing, .set: false
        case .empty, .star: true
        case .assertion(let assertion): holds(assertion)
        case .sequence(let one, let other): one.isNullable(holds) && other.isNullable(holds)
        case .either(let one, let other): one.isNullable(holds) || other.isNullable(holds)
        case .repeated(let body, let least, _): least == 0 || body.isNullable(holds)
        }
    }

    private func derivative(_ scalar: Unicode.Scalar, _ holds: (Assertion) -> Bool) -> Expression {
        switch self {
        case .nothing, .empty, .assertion: return .nothing
        case .set(_, let set): return set.contains(scalar) ? .empty : .nothing
        case .either(let one, let other):
            return .joined(one.derivative(scalar, holds), other.derivative(scalar, holds))
        case .star(let body): return .followed(body.derivative(scalar, holds), self)
        case .sequence(let one, let other):
            let first = Expression.followed(one.derivative(scalar, holds), other)
            return one.isNullable(holds) ? .joined(first, other.derivative(scalar, holds)) : first
        case .repeated(let body, let least, let most):
            guard most > 0 else { return .nothing }
            return .followed(
                body.derivative(scalar, holds),
                // Repetitions that match the empty text may come first.
                .repeated(body, body.isNullable(holds) ? 0 : max(0, least - 1), most - 1))
        }
    }

    private static func joined(_ one: Expression, _ other: Expression) -> Expression {
        if case .nothing = one { return other }
        if case .nothing = other { return one }
        return .either(one, other)
    }

    private static func followed(_ one: Expression, _ other: Expression) -> Expression {
        if case .nothing = one { return .nothing }
        if case .empty = one { return other }
        return .sequence(one, other)
    }

    /// True if any part of the text matches.
    func isFound(in text: [Unicode.Scalar]) -> Bool {
        func isWord(_ index: Int) -> Bool { text.indices.contains(index) && ["a", "b", "1"].contains(text[index]) }
        func holds(at position: Int) -> (Assertion) -> Bool {
            { assertion in
                switch assertion {
                case .start: position == 0
                case .end: position == text.count
                case .boundary: isWord(position - 1) != isWord(position)
                case .noBoundary: isWord(position - 1) == isWord(position)
                }
            }
        }
        for start in 0...text.count {
            var rest = self
            for position in start...text.count {
                if rest.isNullable(holds(at: position)) { return true }
                guard position < text.count else { break }
                rest = rest.derivative(text[position], holds(at: position))
            }
        }
        return false
    }
}
