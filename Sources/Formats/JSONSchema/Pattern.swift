/// A regular expression of ECMA-262 with the `u` flag (2020-12 Core 6.4), translated to the syntax of RE2.
///
/// The language is the part of ECMA-262 that can be matched in time linear in the text, on code points:
/// - characters, `.`, `^`, `$`, `\b`, `\B`, alternatives with `|`;
/// - classes `[…]`, `[^…]` with ranges; `\d \D \w \W \s \S`; `\p{…}` and `\P{…}` with the one or two letters of a
///   general category, as in `\p{L}` or `\p{Nd}`;
/// - `* + ? {n} {n,} {n,m}`, also lazy, which changes nothing about whether a text matches;
/// - groups `(…)`, `(?:…)`, `(?<name>…)`;
/// - the escapes `\t \n \v \f \r \0 \cX \xHH \uHHHH \u{H…}`, and `\` before a syntax character.
///
/// Back-references and look-around are refused, because no linear-time matcher has them, and so is RE2 syntax that
/// ECMA-262 lacks.
package struct Pattern: Sendable {
    /// Problem of a pattern, as in "has the look-around (?=, which is not supported".
    package struct Failure: Error, Equatable {
        package let reason: String

        package init(reason: String) { self.reason = reason }

        package static let tooLarge = Failure(reason: "is too large; shorten it or its repetitions {n,m}")
    }

    /// Maximum weight of a pattern, and of all patterns of a schema together.
    package static let weightLimit = 20_000
    /// Maximum bytes of UTF-8.
    static let lengthLimit = 8_192
    /// Maximum n of `{n}` and `{m,n}`; RE2 allows no more.
    static let repetitionLimit = 1_000

    package let source: String
    /// The pattern in RE2's syntax. It is matched at the beginning of a text and skips to any part that matches
    /// `source`.
    package let translation: String
    /// Upper estimate of the compiled form's instructions, at most `weightLimit`.
    package let weight: Int

    package init(_ source: String) throws(Failure) {
        var translator = PatternTranslator(source, limits: .init(depth: 32, weight: Self.weightLimit))
        try translator.translate()
        if let unsupported = translator.unsupported { throw unsupported }
        guard source.utf8.count <= Self.lengthLimit else { throw .tooLarge }
        self.source = source
        // Skips whole characters. RE2 skips bytes, and would find \B between the bytes of one character.
        translation = "\\A(?s:.)*?(?:\(translator.output))"
        weight = translator.weight + 16
    }

    /// True if the text is a regular expression of ECMA-262 with the `u` flag, supported here or not.
    static func isRegularExpression(_ text: String) -> Bool {
        var translator = PatternTranslator(text, limits: .init(depth: 128, weight: .max))
        return (try? translator.translate()) != nil
    }
}
