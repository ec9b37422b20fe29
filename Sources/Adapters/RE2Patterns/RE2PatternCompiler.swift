import CPatterns
package import JSONSchema

/// Compiles patterns with RE2, which matches in time linear in the text and in bounded memory.
package struct RE2PatternCompiler: PatternCompiler {
    package init() {}

    package func compile(_ pattern: Pattern) throws(Pattern.Failure) -> any CompiledPattern { try RE2Pattern(pattern) }
}

/// Owns a pattern compiled by RE2. Threads may share it.
private final class RE2Pattern: CompiledPattern, @unchecked Sendable {
    private let handle: OpaquePointer
    let stepsPerByte: Int

    /// RE2 uses at most a sixth of the memory for the program, at 8 bytes per instruction. The rest is for states of
    /// its automaton. If they do not fit, RE2 executes the program itself.
    private static let bytesPerInstruction = 64
    private static let bytesBeside = 65_536

    init(_ pattern: Pattern) throws(Pattern.Failure) {
        var status = CPATTERNS_OK
        var source = pattern.translation
        let memory = Self.bytesBeside + Self.bytesPerInstruction * pattern.weight
        let made = source.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                cpatterns_create($0.baseAddress, $0.count, Int64(memory), &status)
            }
        }
        guard let made else {
            switch status {
            case CPATTERNS_TOO_LARGE, CPATTERNS_OUT_OF_MEMORY: throw .tooLarge
            default: throw Pattern.Failure(reason: "has a construct that is not supported")
            }
        }
        handle = made
        stepsPerByte = max(1, Int(cpatterns_size(made)))
    }

    deinit { cpatterns_destroy(handle) }

    func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                // Out of memory counts as no match, so that a value is refused rather than accepted.
                cpatterns_match(handle, $0.baseAddress, $0.count) == CPATTERNS_MATCH
            }
        }
    }
}
