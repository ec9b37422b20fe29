import Load

/// The same request on every connection, over and over.
final class RepeatScenario: Scenario {
    private let request: [UInt8]
    private let expectedStatus: Int
    private var failed = 0

    init(_ request: [UInt8], expecting status: Int) {
        self.request = request
        expectedStatus = status
    }

    func begin(_ connections: [Connection]) {
        for connection in connections { connection.send(request) }
    }

    func reopened(_ connection: Connection) { connection.send(request) }

    func answered(_ answer: Answer, on connection: Connection) {
        if answer.status != expectedStatus {
            failed += 1
            Problems.note(answer, to: "the request")
        }
        connection.send(request)
    }

    var tally: [String: Int] { ["failed": failed] }
    func restartCounting() { failed = 0 }
}
