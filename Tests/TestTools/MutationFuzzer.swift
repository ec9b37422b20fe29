package import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Changes known inputs byte by byte and hands them to a property. The same seed gives the same inputs.
///
/// `FUZZ_ITERATIONS` in the environment says how many inputs (20,000 by default), `FUZZ_SEED` where to start.
package struct MutationFuzzer {
    private let corpus: [[UInt8]]
    private let tokens: [[UInt8]]
    private let iterations: Int
    private var state: UInt64

    /// - Parameters:
    ///   - corpus: inputs to begin with.
    ///   - tokens: pieces of the format's syntax, mixed in now and then.
    ///   - cost: how many times fewer inputs there are, for properties that take that much longer than a parser.
    package init(corpus: [String], tokens: [String], cost: Int = 1) {
        self.corpus = corpus.map { Array($0.utf8) }
        self.tokens = tokens.map { Array($0.utf8) } + Self.commonTokens
        iterations = (Self.setting("FUZZ_ITERATIONS").map { Int(clamping: $0) } ?? 20_000) / cost
        // Zero is the one state that xorshift does not leave.
        state = max(1, Self.setting("FUZZ_SEED") ?? 0x9E37_79B9_7F4A_7C15)
    }

    private static let commonTokens: [[UInt8]] = [
        [0], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x0D, 0x0A], [0x80],
        Array("\u{FEFF}".utf8), Array("e\u{301}".utf8), Array("%00".utf8), Array("99999999999999999999".utf8),
    ]

    private static func setting(_ name: String) -> UInt64? { getenv(name).flatMap { UInt64(String(cString: $0)) } }

    /// Calls `property` with each input in turn. The first one it answers false for, or throws for, is recorded as an
    /// issue in Base64, and the run ends. A crash shows its input where `FUZZ_TRACE` is set.
    package mutating func check(
        _ name: String, sourceLocation: SourceLocation = #_sourceLocation, _ property: ([UInt8]) throws -> Bool
    ) {
        for iteration in 0..<iterations {
            let input = input(iteration, of: name)
            do {
                if try property(input) { continue }
                Self.report(name, iteration, "the property does not hold", input, sourceLocation)
            } catch {
                Self.report(name, iteration, "threw \(error)", input, sourceLocation)
            }
            return
        }
    }

    /// The same for a property that awaits.
    package mutating func check(
        awaiting name: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ property: ([UInt8]) async throws -> Bool
    ) async {
        for iteration in 0..<iterations {
            let input = input(iteration, of: name)
            do {
                if try await property(input) { continue }
                Self.report(name, iteration, "the property does not hold", input, sourceLocation)
            } catch {
                Self.report(name, iteration, "threw \(error)", input, sourceLocation)
            }
            return
        }
    }

    private mutating func input(_ iteration: Int, of name: String) -> [UInt8] {
        let input = iteration < corpus.count ? corpus[iteration] : mutated()
        if getenv("FUZZ_TRACE") != nil { print("\(name) \(iteration): \(Self.base64(input))") }
        return input
    }

    private static func report(
        _ name: String, _ iteration: Int, _ failure: String, _ input: [UInt8], _ sourceLocation: SourceLocation
    ) {
        Issue.record(
            "\(name), input \(iteration): \(failure); in Base64: \(base64(input))", sourceLocation: sourceLocation)
    }

    private mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    /// A number below `bound`, which is at least 1.
    private mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

    private mutating func mutated() -> [UInt8] {
        var input = corpus[next(below: corpus.count)]
        for _ in 0...next(below: 4) { mutate(&input) }
        return input
    }

    private mutating func mutate(_ input: inout [UInt8]) {
        let position = next(below: input.count + 1)
        let end = position + next(below: min(16, input.count - position) + 1)
        switch next(below: 7) {
        case 0 where position < input.count: input[position] ^= 1 << UInt8(next(below: 8))
        case 1 where position < input.count: input[position] = UInt8(truncatingIfNeeded: next())
        case 2: input.insert(UInt8(truncatingIfNeeded: next()), at: position)
        case 3: input.removeSubrange(position..<end)
        case 4: input.insert(contentsOf: input[position..<end], at: next(below: input.count + 1))
        case 5:
            let other = corpus[next(below: corpus.count)]
            let start = next(below: other.count + 1)
            input.replaceSubrange(position..., with: other[start...])
        default: input.replaceSubrange(position..<end, with: tokens[next(below: tokens.count)])
        }
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let symbols = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                text.append(index <= group.count ? symbols[bits >> (18 - 6 * index) & 63] : "=")
            }
        }
        return text
    }
}
