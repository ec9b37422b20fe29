package import Primitives

/// Names and values of labels. Values must come from the program, never from a tenant or a client: each value creates a
/// series.
package typealias MetricLabels = [(name: String, value: String)]

/// A metric that is read for each scrape. Names follow Prometheus: base units, and `_total` for counters.
package struct Metric: Sendable {
    private enum Kind: String { case counter, gauge, histogram }

    private struct Sample {
        var suffix = ""
        let labels: MetricLabels
        let value: String
    }

    let name: String
    private let help: String
    private let kind: Kind
    private let read: @Sendable () async -> [Sample]

    /// A number that only grows while the process runs.
    package static func counter(_ name: String, _ help: String, read: @escaping @Sendable () -> Int) -> Metric {
        Metric(name: name, help: help, kind: .counter) { [Sample(labels: [], value: String(read()))] }
    }

    /// One counter per value of a label.
    package static func counters(
        _ name: String, _ help: String, label: String, read: @escaping @Sendable () -> [(value: String, count: Int)]
    ) -> Metric {
        counters(name, help) { read().map { ([(label, $0.value)], $0.count) } }
    }

    static func counters(
        _ name: String, _ help: String, read: @escaping @Sendable () -> [(labels: MetricLabels, count: Int)]
    ) -> Metric {
        Metric(name: name, help: help, kind: .counter) {
            read().map { Sample(labels: $0.labels, value: String($0.count)) }
        }
    }

    /// A number that goes up and down. The metric is left out while `read` returns nil.
    package static func gauge(
        _ name: String, _ help: String, labels: MetricLabels = [], read: @escaping @Sendable () -> Double?
    ) -> Metric {
        Metric(name: name, help: help, kind: .gauge) {
            read().map { [Sample(labels: labels, value: spelled($0))] } ?? []
        }
    }

    /// One gauge per value of a label.
    package static func gauges(
        _ name: String, _ help: String, label: String,
        read: @escaping @Sendable () async -> [(value: String, number: Double)]
    ) -> Metric {
        Metric(name: name, help: help, kind: .gauge) {
            await read().map { Sample(labels: [(label, $0.value)], value: spelled($0.number)) }
        }
    }

    package static func histogram(_ name: String, _ help: String, read: @escaping @Sendable () -> Histogram) -> Metric {
        histograms(name, help) { [([], read())] }
    }

    static func histograms(
        _ name: String, _ help: String, read: @escaping @Sendable () -> [(labels: MetricLabels, values: Histogram)]
    ) -> Metric {
        Metric(name: name, help: help, kind: .histogram) {
            read().flatMap { labels, values in
                var samples: [Sample] = []
                var total: UInt64 = 0
                for (bound, count) in zip(values.bounds, values.buckets) {
                    total += count
                    samples.append(
                        Sample(suffix: "_bucket", labels: labels + [("le", spelled(bound))], value: String(total)))
                }
                return samples + [
                    Sample(suffix: "_bucket", labels: labels + [("le", "+Inf")], value: String(values.count)),
                    Sample(suffix: "_sum", labels: labels, value: spelled(values.sum)),
                    Sample(suffix: "_count", labels: labels, value: String(values.count)),
                ]
            }
        }
    }

    /// Writes whole numbers without a fraction.
    private static func spelled(_ number: Double) -> String {
        Int64(exactly: number).map { String($0) } ?? String(number)
    }

    func text() async -> String {
        var text = "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in await read() {
            let labels = sample.labels.map { #"\#($0.name)="\#($0.value)""# }.joined(separator: ",")
            text += "\(name)\(sample.suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(sample.value)\n"
        }
        return text
    }
}
