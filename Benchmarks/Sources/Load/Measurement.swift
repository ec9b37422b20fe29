/// Results of a load, summed over its threads.
package struct Measurement: Sendable {
    /// Answers by status class: index 2 counts 200 to 299, and so on.
    package private(set) var classes = [Int](repeating: 0, count: 6)
    /// Connections that the server closed.
    package var reopened = 0
    package var seconds = 0.0
    package var latencies = LatencyHistogram()
    /// The scenario's own counts.
    package var tally: [String: Int] = [:]

    package init() {}

    package var answers: Int { classes.reduce(0, +) }
    package var rate: Double { seconds > 0 ? Double(answers) / seconds : 0 }

    /// The scenario's count under a name, per second.
    package func rate(of name: String) -> Double { seconds > 0 ? Double(tally[name] ?? 0) / seconds : 0 }

    mutating func count(status: Int) { classes[status / 100] += 1 }

    mutating func add(_ other: Measurement) {
        for index in classes.indices { classes[index] += other.classes[index] }
        reopened += other.reopened
        seconds = max(seconds, other.seconds)
        latencies.merge(other.latencies)
        tally.merge(other.tally, uniquingKeysWith: +)
    }
}
