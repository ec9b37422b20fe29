/// Port to a library for regular expressions.
package protocol PatternCompiler: Sendable {
    /// Compiles in time and memory bounded by the weight of `pattern`.
    func compile(_ pattern: Pattern) throws(Pattern.Failure) -> any CompiledPattern
}

package protocol CompiledPattern: Sendable {
    /// Upper bound of the steps of matching per byte of a text, and for its end.
    var stepsPerByte: Int { get }

    /// True if some part of the text matches: patterns are not anchored unless they say so (2020-12 Core 6.4).
    func matches(_ text: String) -> Bool
}

/// Accepts patterns without compiling them, to compute a schema's weight first.
struct UncompiledPatterns: PatternCompiler {
    private struct Uncompiled: CompiledPattern {
        let stepsPerByte = 0
        func matches(_ text: String) -> Bool { false }
    }

    func compile(_ pattern: Pattern) throws(Pattern.Failure) -> any CompiledPattern { Uncompiled() }
}
