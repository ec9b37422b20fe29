import Load
import Workbench

/// Starts requests on every connection at full speed, and takes no notice of `Retry-After`. Latencies are those of accepted
/// starts.
final class FloodScenario: Scenario {
    private let requests: [[UInt8]]
    private var sent = 0
    private(set) var tally: [String: Int] = [:]
    private var accepted = LatencyHistogram()
    private var refused = LatencyHistogram()

    init(requests: [[UInt8]]) { self.requests = requests }

    var latencies: LatencyHistogram? { accepted }

    func begin(_ connections: [Connection]) {
        for connection in connections { start(connection) }
    }

    func reopened(_ connection: Connection) { start(connection) }

    func answered(_ answer: Answer, on connection: Connection) {
        let latency = MonotonicClock.now - connection.sentAt
        switch answer.status {
        case 200:
            accepted.record(nanoseconds: latency)
            tally["accepted", default: 0] += 1
        case 503 where Scan.contains("Retry-After", in: answer.head):
            refused.record(nanoseconds: latency)
            tally["refused", default: 0] += 1
        default:
            tally["failed", default: 0] += 1
            Problems.note(answer, to: "/bc-authorize")
        }
        start(connection)
    }

    private func start(_ connection: Connection) {
        connection.send(requests[sent % requests.count])
        sent += 1
    }

    func restartCounting() {
        tally = [:]
        accepted = LatencyHistogram()
        refused = LatencyHistogram()
    }

    /// Microseconds that a refusal took in the slowest hundredth, among the counts.
    func ended() { tally["refusal p99 us"] = Int(refused.percentile(0.99) / 1e3) }
}
