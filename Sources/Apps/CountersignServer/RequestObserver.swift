import MicroHTTPServer
import Primitives

/// Counts every request, and logs it where that is wanted.
struct RequestObserver: HTTPServerObserver {
    let metrics: Metrics
    let log: Log
    let logsRequests: Bool

    func requestFinished(_ record: RequestRecord) {
        metrics.requestFinished(record)
        guard logsRequests else { return }
        log.write(
            .info, "request",
            [
                "id": record.id, "method": record.method, "path": record.path, "status": String(record.status),
                "ms": Self.milliseconds(record.duration), "in": String(record.requestBytes),
                "out": String(record.responseBytes), "peer": record.remoteAddress,
                "outcome": record.outcome == .completed ? "completed" : "aborted",
            ])
    }

    func acceptFailed(_ reason: String) {
        metrics.acceptFailed()
        log.write(.error, "connection refused", ["reason": reason])
    }

    /// With three decimals.
    private static func milliseconds(_ duration: Duration) -> String {
        let microseconds = duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
        let rest = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}
