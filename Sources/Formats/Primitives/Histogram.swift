/// Distribution of values over ascending bounds.
package struct Histogram: Sendable, Equatable {
    /// Ascending.
    package let bounds: [Double]
    /// Number of values for each bound, up to it and above the previous one.
    package private(set) var buckets: [UInt64]
    package private(set) var count: UInt64 = 0
    package private(set) var sum: Double = 0

    package init(bounds: [Double]) {
        self.bounds = bounds
        buckets = [UInt64](repeating: 0, count: bounds.count)
    }

    package mutating func add(_ value: Double) {
        count += 1
        sum += value
        if let bucket = bounds.firstIndex(where: { value <= $0 }) { buckets[bucket] += 1 }
    }

    /// Adds the values of a histogram with the same bounds.
    package mutating func add(_ other: Histogram) {
        count += other.count
        sum += other.sum
        for (index, added) in zip(buckets.indices, other.buckets) { buckets[index] += added }
    }
}

extension Duration {
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
