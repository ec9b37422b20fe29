import Configuration
import Load

/// The same requests in turn on every connection, over and over.
final class RepeatScenario: Scenario {
    private let requests: [[UInt8]]
    private var position = 0
    private let expectedStatus: Int
    private var failed = 0

    init(_ requests: [[UInt8]], expecting status: Int) {
        self.requests = requests
        expectedStatus = status
    }

    convenience init(_ request: [UInt8], expecting status: Int) { self.init([request], expecting: status) }

    func begin(_ connections: [Connection]) {
        for connection in connections { send(connection) }
    }

    func reopened(_ connection: Connection) { send(connection) }

    func answered(_ answer: Answer, on connection: Connection) {
        if answer.status != expectedStatus {
            failed += 1
            Problems.note(answer, to: "the request")
        }
        send(connection)
    }

    private func send(_ connection: Connection) {
        connection.send(requests[position])
        position = position + 1 == requests.count ? 0 : position + 1
    }

    var tally: [String: Int] { ["failed": failed] }
    func restartCounting() { failed = 0 }
}
