import Workbench
import Configuration
import Load
import Synchronization

/// Starts requests for one user after another, and keeps the request ids.
final class StartScenario: Scenario {
    /// Ids that the threads received: `identifierSize` bytes each, one after the other.
    final class Ids: Sendable {
        private let bytes = Mutex<[UInt8]>([])
        init() {}
        var all: [UInt8] { bytes.withLock { $0 } }
        var count: Int { bytes.withLock { $0.count } / identifierSize }
        fileprivate func append(_ more: [UInt8]) { bytes.withLock { $0 += more } }
    }

    /// Requests of all threads together. No thread ends before the others, which would halve the load.
    final class Quota: Sendable {
        private let rest: Atomic<Int>
        init(_ count: Int) { rest = Atomic(count) }
        fileprivate var isUsedUp: Bool { rest.load(ordering: .relaxed) <= 0 }
        fileprivate func take() -> Bool { rest.subtract(1, ordering: .relaxed).newValue >= 0 }
    }

    private let requests: [[UInt8]]
    private let quota: Quota
    private let ids: Ids
    private var mine: [UInt8] = []
    private var sent = 0
    private var answeredCount = 0
    private var failed = 0

    init(requests: [[UInt8]], quota: Quota, ids: Ids) {
        self.requests = requests
        self.quota = quota
        self.ids = ids
    }

    func begin(_ connections: [Connection]) {
        for connection in connections { start(connection) }
    }

    func reopened(_ connection: Connection) {
        // The connection's request is lost.
        answeredCount += 1
        failed += 1
        start(connection)
    }

    func answered(_ answer: Answer, on connection: Connection) {
        answeredCount += 1
        if answer.status == 200, let id = Scan.string("auth_req_id", in: answer.body), id.count == identifierSize {
            mine.append(contentsOf: id)
        } else {
            failed += 1
            Problems.note(answer, to: "/bc-authorize")
        }
        start(connection)
    }

    private func start(_ connection: Connection) {
        guard quota.take() else { return }
        connection.send(requests[sent % requests.count])
        sent += 1
    }

    var isFinished: Bool { quota.isUsedUp && answeredCount >= sent }
    var tally: [String: Int] { ["started": answeredCount - failed, "failed": failed] }
    func ended() { ids.append(mine) }
}
