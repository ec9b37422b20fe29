import Configuration
import Load

/// Sends each of many polls once, since each has a single-use assertion.
final class OnceScenario: Scenario {
    private let requests: ArraySlice<[UInt8]>
    private var position: Int
    private var answeredCount = 0
    private var failed = 0

    init(_ requests: ArraySlice<[UInt8]>) {
        self.requests = requests
        position = requests.startIndex
    }

    func begin(_ connections: [Connection]) {
        for connection in connections { send(connection) }
    }

    /// Drops the assertion, which may be used up.
    func reopened(_ connection: Connection) {
        answeredCount += 1
        failed += 1
        send(connection)
    }

    func answered(_ answer: Answer, on connection: Connection) {
        answeredCount += 1
        // {"error":"authorization_pending"…
        if answer.body.count <= 10 || answer.body[10] != UInt8(ascii: "a") {
            failed += 1
            Problems.note(answer, to: "/oauth/token")
        }
        send(connection)
    }

    private func send(_ connection: Connection) {
        guard position < requests.endIndex else { return }
        connection.send(requests[position])
        position += 1
    }

    var isFinished: Bool { answeredCount >= requests.count }
    var tally: [String: Int] { ["failed": failed] }
}
