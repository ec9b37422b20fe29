/// Counts of durations in buckets about 1.6 % wide (64 per power of two), in constant memory.
package struct LatencyHistogram: Sendable {
    private static let subBits = 6
    private var counts = [UInt32](repeating: 0, count: 48 << subBits)
    package private(set) var count = 0

    package init() {}

    package mutating func record(nanoseconds: UInt64) {
        counts[Self.bucket(nanoseconds)] += 1
        count += 1
    }

    package mutating func merge(_ other: LatencyHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
        count += other.count
    }

    /// The duration in nanoseconds that `fraction` (`0...1`) of the samples do not exceed. 0 without samples.
    package func percentile(_ fraction: Double) -> Double {
        guard count > 0 else { return 0 }
        let rank = max(1, Int((fraction * Double(count)).rounded(.up)))
        var seen = 0
        for (index, number) in counts.enumerated() {
            seen += Int(number)
            if seen >= rank { return Self.middle(index) }
        }
        return Self.middle(counts.count - 1)
    }

    private static func bucket(_ value: UInt64) -> Int {
        let magnitude = 63 - (value | 1).leadingZeroBitCount
        guard magnitude >= subBits else { return Int(value) }
        let shift = magnitude - subBits
        let index = (shift + 1) << subBits + Int(value >> UInt64(shift)) - 1 << subBits
        return min(index, 48 << subBits - 1)
    }

    private static func middle(_ index: Int) -> Double {
        guard index >= 1 << subBits else { return Double(index) }
        let shift = index >> subBits - 1
        let low = (UInt64(index & (1 << subBits - 1)) | 1 << UInt64(subBits)) << UInt64(shift)
        return Double(low) + Double(UInt64(1) << UInt64(shift)) / 2
    }
}
