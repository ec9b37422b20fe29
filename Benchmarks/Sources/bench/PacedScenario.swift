import Load

/// The same requests in turn, with a pause after each answer, as clients send that do not want all that a server can do.
final class PacedScenario: Scenario {
    private let requests: [[UInt8]]
    private let statuses: Set<Int>
    private let pause: UInt64
    private var position = 0
    private var waiting: [(connection: Connection, until: UInt64)] = []
    private(set) var tally: [String: Int] = [:]

    /// - Parameter pause: Between an answer and the connection's next request, in milliseconds.
    init(_ requests: [[UInt8]], expecting statuses: Set<Int>, pause: UInt64) {
        self.requests = requests
        self.statuses = statuses
        self.pause = pause * 1_000_000
    }

    func begin(_ connections: [Connection]) {
        let now = MonotonicClock.now
        for (index, connection) in connections.enumerated() {
            waiting.append((connection, now + pause * UInt64(index) / UInt64(connections.count)))
        }
    }

    func reopened(_ connection: Connection) { waiting.append((connection, 0)) }

    func answered(_ answer: Answer, on connection: Connection) {
        if !statuses.contains(answer.status) {
            tally["failed", default: 0] += 1
            Problems.note(answer, to: "a paced request")
        }
        waiting.append((connection, MonotonicClock.now + pause))
    }

    func tick(_ now: UInt64) {
        let due = waiting.filter { $0.until <= now }
        waiting.removeAll { $0.until <= now }
        for (connection, _) in due {
            connection.send(requests[position])
            position = position + 1 == requests.count ? 0 : position + 1
        }
    }

    func restartCounting() { tally = [:] }
}
