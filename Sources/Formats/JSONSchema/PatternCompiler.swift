/// Compiles patterns: the port behind which a library for regular expressions stands.
package protocol PatternCompiler: Sendable {
    /// Time and memory are bounded by the weight of `pattern`.
    func compile(_ pattern: Pattern) throws(Pattern.Failure) -> any CompiledPattern
}

package protocol CompiledPattern: Sendable {
    /// Upper bound of the steps that matching takes for each byte of a text, and for its end.
    var stepsPerByte: Int { get }

    /// True if some part of the text matches: patterns are not anchored unless they say so (2020-12 Core 6.4).
    func matches(_ text: String) -> Bool
}

/// Reads patterns and compiles none: for what a schema asks, before it is known whether it is worth compiling.
struct UncompiledPatterns: PatternCompiler {
    private struct Uncompiled: CompiledPattern {
        let stepsPerByte = 0
        func matches(_ text: String) -> Bool { false }
    }

    func compile(_ pattern: Pattern) throws(Pattern.Failure) -> any CompiledPattern { Uncompiled() }
}
