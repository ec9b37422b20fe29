/// Steele, Lea and Flood's generator: the same numbers for the same seed.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// - Parameter stream: tells generators of one seed apart.
    package init(seed: UInt64, stream: UInt64 = 0) {
        state = seed
        for _ in 0...1 { state = next() ^ stream }
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True with this probability.
    package mutating func isLikely(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &self) < probability
    }
}
