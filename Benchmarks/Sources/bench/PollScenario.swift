import Configuration
import Load

/// Polls the token endpoint for each of many pending requests in turn, on every connection at full speed.
final class PollScenario: Scenario {
    private var request: [UInt8]
    private let identifiers: [UInt8]
    private var position = 0
    private var pending = 0
    private var slowDown = 0
    private var other = 0
    private let isOnce: Bool
    private var answers = 0

    /// `request` ends with an `auth_req_id`, which each of `identifiers` replaces (concatenated, `identifierSize` bytes
    /// each). Starts at the fraction `start` (`0...1`) of them. With `once`, ends when each was answered.
    init(request: [UInt8], identifiers: [UInt8], start: Double = 0, once: Bool = false) {
        self.request = request
        self.identifiers = identifiers
        position = Int(Double(identifiers.count / identifierSize) * start) * identifierSize
        isOnce = once
    }

    var isFinished: Bool { isOnce && answers * identifierSize >= identifiers.count }

    func begin(_ connections: [Connection]) {
        for connection in connections { poll(connection) }
    }

    func reopened(_ connection: Connection) { poll(connection) }

    func answered(_ answer: Answer, on connection: Connection) {
        answers += 1
        // {"error":"authorization_pending"… or {"error":"slow_down"…
        switch answer.body.count > 10 ? answer.body[10] : 0 {
        case UInt8(ascii: "a"): pending += 1
        case UInt8(ascii: "s"): slowDown += 1
        default:
            other += 1
            Problems.note(answer, to: "/oauth/token")
        }
        poll(connection)
    }

    private func poll(_ connection: Connection) {
        let size = identifierSize
        let place = request.count - size
        request.withUnsafeMutableBytes { request in
            identifiers.withUnsafeBytes { identifiers in
                UnsafeMutableRawBufferPointer(rebasing: request[place...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: identifiers[position..<position + size]))
            }
        }
        position += size
        if position == identifiers.count { position = 0 }
        connection.send(request)
    }

    var tally: [String: Int] { ["pending": pending, "slow_down": slowDown, "other": other] }

    func restartCounting() {
        pending = 0
        slowDown = 0
        other = 0
    }
}

/// Bytes of an `auth_req_id`: 48 random bytes in base64url.
let identifierSize = 64
