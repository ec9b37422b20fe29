/// What a load saw: the sum over its threads.
public struct Measurement: Sendable {
    /// Answers by status class: index 2 counts 200 to 299, and so on.
    public private(set) var classes = [Int](repeating: 0, count: 6)
    /// Connections that the server closed.
    public var reopened = 0
    public var seconds = 0.0
    public var latencies = LatencyHistogram()
    /// What the scenario counted.
    public var tally: [String: Int] = [:]

    public init() {}

    public var answers: Int { classes.reduce(0, +) }
    public var rate: Double { seconds > 0 ? Double(answers) / seconds : 0 }

    /// What the scenario counted under a name, a second.
    public func rate(of name: String) -> Double { seconds > 0 ? Double(tally[name] ?? 0) / seconds : 0 }

    mutating func count(status: Int) { classes[status / 100] += 1 }

    mutating func add(_ other: Measurement) {
        for index in classes.indices { classes[index] += other.classes[index] }
        reopened += other.reopened
        seconds = max(seconds, other.seconds)
        latencies.merge(other.latencies)
        tally.merge(other.tally, uniquingKeysWith: +)
    }
}
