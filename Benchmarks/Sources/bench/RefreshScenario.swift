import Workbench
import Configuration
import Load

/// Refreshes many token families in turn, each with the token of its last answer.
final class RefreshScenario: Scenario {
    private var request: [UInt8]
    private var families: [[UInt8]]
    /// Users without their answer: their token is used up and the next is unknown.
    private var isInFlight: [Bool]
    /// Family that each connection refreshes.
    private var current: [Int] = []
    private var position = 0
    private var failed = 0

    /// `request` ends with a refresh token, which each of `families` replaces. There must be more families than
    /// connections.
    init(request: [UInt8], families: [[UInt8]]) {
        self.request = request
        self.families = families
        isInFlight = Array(repeating: false, count: families.count)
    }

    func begin(_ connections: [Connection]) {
        current = Array(repeating: 0, count: connections.count)
        for connection in connections { refresh(connection) }
    }

    /// Drops the family, whose token may be used up.
    func reopened(_ connection: Connection) { refresh(connection) }

    func answered(_ answer: Answer, on connection: Connection) {
        let family = current[connection.index]
        if answer.status == 200, let token = Scan.string("refresh_token", in: answer.body),
            token.count == App.refreshTokenSize
        {
            families[family] = Array(token)
            isInFlight[family] = false
        } else {
            failed += 1
            Problems.note(answer, to: "the refresh")
        }
        refresh(connection)
    }

    private func refresh(_ connection: Connection) {
        for _ in families.indices {
            let family = position
            position = position + 1 == families.count ? 0 : position + 1
            guard !isInFlight[family] else { continue }
            isInFlight[family] = true
            current[connection.index] = family
            request.replaceEnd(with: families[family][...])
            connection.send(request)
            return
        }
    }

    var tally: [String: Int] { ["failed": failed] }
    func restartCounting() { failed = 0 }
}
